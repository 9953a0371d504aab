// What the checked subset refuses or warns of: one constant a construct, with its code, its sentence and the way to
// say it, where one exists. docs/sql.md lists the same codes, and a test holds the two equal.
#ifndef ST_LIB_SQL_REFUSALS_H_
#define ST_LIB_SQL_REFUSALS_H_

#include "lib/sql/finding_sink.h"

namespace st::sql::refusal {

// The statement as a whole.
extern const Refusal kEmpty, kNotUtf8, kNul, kTooLong, kNotSelect, kWith, kNoFrom, kSecondStatement, kSecondSemicolon,
    kComment, kMoreErrors, kExpected;

// Characters, literals, names.
extern const Refusal kCharacter, kBlank, kTypographicQuote, kUnterminatedString, kUnterminatedComment, kStringTooLong,
    kBraces, kDoubleQuotes, kBacktick, kBracket, kParameter, kStringPrefix, kTypedLiteral, kFraction, kExponent,
    kLeadingZero, kIntegerRange, kPlusSign, kMinusBlank, kNumber, kUppercase, kIdentifier, kIdentifierLength,
    kReservedWord, kRefusedWord, kQualifiedName;

// SELECT and FROM.
extern const Refusal kStar, kDistinct, kAll, kLiteralItem, kImplicitAlias, kDuplicateOutput, kTooManyItems,
    kTrailingComma, kTableAlias, kTableName, kTableFunction, kJoin, kTemplate, kTemplateBlock, kTemplatePlace;

// Expressions.
extern const Refusal kExpression, kFunction, kAggregate, kCast, kCase, kParentheses, kSubquery, kWindow, kNullLiteral;

// WHERE.
extern const Refusal kOr, kIn, kLike, kBetween, kExists, kOperator, kChained, kNotComparison, kDoubleNot,
    kNullComparison, kIsTruth, kColumnComparison, kConstantPredicate, kTooManyPredicates;

// Clauses after WHERE.
extern const Refusal kGroupBy, kHaving, kOrderBy, kLimit, kOffset, kUnion, kIntersect, kExcept, kEmit;

// Against the input's columns.
extern const Refusal kUnknownColumn, kUnknownColumnNear, kAliasInWhere, kType, kOrderType, kNotBoolean, kAnyCompared;

// Warnings.
extern const Refusal kContradiction, kNullContradiction, kNeverNull, kAlwaysNotNull, kAlwaysTrue;

}  // namespace st::sql::refusal

#endif  // ST_LIB_SQL_REFUSALS_H_
