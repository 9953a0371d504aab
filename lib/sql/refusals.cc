#include "lib/sql/refusals.h"

namespace st::sql::refusal {

// The statement as a whole.
const Refusal kEmpty = {"SQL_EMPTY", "the statement is empty", "write SELECT ... FROM ..."};
const Refusal kNotUtf8 = {"SQL_NOT_UTF8", "the byte $0 is not UTF-8", "save the text as UTF-8"};
const Refusal kNul = {"SQL_NUL", "a NUL byte stands in the statement", "remove it"};
const Refusal kTooLong = {"SQL_TOO_LONG", "the statement has $0 bytes, the limit is 262144", ""};
const Refusal kNotSelect = {"SQL_NOT_SELECT", "a statement begins with SELECT, not with `$0`",
                            "the model's `topic` says where its records go"};
const Refusal kWith = {"SQL_WITH", "WITH is outside the SQL subset", "make a model of each step and read it by ref"};
const Refusal kNoFrom = {"SQL_NO_FROM", "the statement has no FROM",
                         "say what it reads: FROM {{ source(\"name\") }} or FROM {{ ref(\"name\") }}"};
const Refusal kSecondStatement = {"SQL_SECOND_STATEMENT", "a second statement begins here",
                                  "a model is one SELECT: make a model of each"};
const Refusal kSecondSemicolon = {"SQL_SECOND_SEMICOLON", "a second semicolon ends nothing", "remove it"};
const Refusal kComment = {"SQL_COMMENT", "comments are outside the SQL subset", "say it in the model's `description`"};
const Refusal kMoreErrors = {"SQL_MORE_ERRORS", "the rest of this statement was not checked",
                             "correct the errors above first"};
const Refusal kExpected = {"SQL_EXPECTED", "expected $0, found $1", ""};

// Characters, literals, names.
const Refusal kCharacter = {"SQL_CHARACTER", "the character $0 has no meaning in SQL", "remove it"};
const Refusal kBlank = {"SQL_BLANK", "$0 looks like a blank and is none", "write a plain space"};
const Refusal kTypographicQuote = {"SQL_TYPOGRAPHIC_QUOTE", "$0 is a typographic quote",
                                   "write a string in plain single quotes: 'text'"};
const Refusal kUnterminatedString = {"SQL_UNTERMINATED_STRING", "what is quoted from here on has no closing quote",
                                     "a single quote inside a string is written twice: ''"};
const Refusal kUnterminatedComment = {"SQL_UNTERMINATED_COMMENT", "a comment begins here and never ends",
                                      "remove it: comments are outside the SQL subset"};
const Refusal kStringTooLong = {"SQL_STRING_TOO_LONG", "this string has $0 bytes, the limit is 32768", ""};
const Refusal kBraces = {"SQL_BRACES", "a brace stands inside a string",
                         "braces belong to {{ source(...) }} and {{ ref(...) }} alone"};
const Refusal kDoubleQuotes = {"SQL_DOUBLE_QUOTES", "double quotes are outside the SQL subset",
                               "a string is written 'text', and a column's name without quotes"};
const Refusal kBacktick = {"SQL_BACKTICK", "names in backticks are outside the SQL subset",
                           "write a column's name without quotes"};
const Refusal kBracket = {"SQL_BRACKET", "brackets are outside the SQL subset",
                          "declare the member as a column of its own"};
const Refusal kParameter = {"SQL_PARAMETER", "parameters are outside the SQL subset", "write the literal itself"};
const Refusal kStringPrefix = {"SQL_STRING_PREFIX", "a string with the prefix `$0` is outside the SQL subset",
                               "write the characters themselves: 'text'"};
const Refusal kTypedLiteral = {"SQL_TYPED_LITERAL", "a literal of type $0 is outside the SQL subset",
                               "compare with a plain 'string' or a whole number"};
const Refusal kFraction = {"SQL_FRACTION", "`$0` has a fraction, and numbers are whole 64-bit integers",
                           "scale the column to a whole number, or declare it as STRING"};
const Refusal kExponent = {"SQL_EXPONENT", "`$0` has an exponent, and numbers are plain digits",
                           "write all the digits"};
const Refusal kLeadingZero = {"SQL_LEADING_ZERO", "`$0` begins with a zero", "write the number without it"};
const Refusal kIntegerRange = {"SQL_INTEGER_RANGE", "`$0` is outside of signed 64 bits",
                               "from -9223372036854775808 to 9223372036854775807"};
const Refusal kPlusSign = {"SQL_PLUS_SIGN", "a number has no plus sign", "write the digits alone"};
const Refusal kMinusBlank = {"SQL_MINUS_BLANK", "blanks stand between the minus sign and its number",
                             "write them together: -1"};
const Refusal kNumber = {"SQL_NUMBER", "`$0` is no number of the SQL subset", "write decimal digits alone"};
const Refusal kUppercase = {"SQL_UPPERCASE", "`$0` has upper-case letters, and names are lower case",
                            "write `$1`; the JSON name of an input column is its `member:`"};
const Refusal kIdentifier = {"SQL_IDENTIFIER", "`$0` is no name: letters a to z, digits and _ make one",
                             "an input column gets another name by `member:`"};
const Refusal kIdentifierLength = {"SQL_IDENTIFIER_LENGTH", "the name `$0` has over 64 bytes",
                                   "an input column gets a shorter name by `member:`"};
const Refusal kReservedWord = {"SQL_RESERVED_WORD", "`$0` is a reserved word and cannot name a column",
                               "name an input column otherwise by `member:`, an output column by another alias"};
const Refusal kRefusedWord = {"SQL_REFUSED_WORD", "`$0` reads like SQL and cannot name a column",
                              "name an input column otherwise by `member:`, an output column by another alias"};
const Refusal kQualifiedName = {"SQL_QUALIFIED_NAME", "the qualified name `$0` is outside the SQL subset",
                                "one model reads one table: write the name alone"};

// SELECT and FROM.
const Refusal kStar = {"SQL_STAR", "`*` is outside the SQL subset", "name each column that the output has"};
const Refusal kDistinct = {"SQL_DISTINCT", "DISTINCT is outside the SQL subset", ""};
const Refusal kAll = {"SQL_ALL", "ALL is outside the SQL subset", "leave it out: every record is kept as it is"};
const Refusal kLiteralItem = {"SQL_LITERAL_ITEM", "a literal as an output column is outside the SQL subset",
                              "select columns of the input"};
const Refusal kImplicitAlias = {"SQL_IMPLICIT_ALIAS", "an alias without AS is outside the SQL subset",
                                "write AS $0, or a comma if it is a column of its own"};
const Refusal kDuplicateOutput = {"SQL_DUPLICATE_OUTPUT", "the output has the column `$0` twice",
                                  "give one of them another name with AS"};
const Refusal kTooManyItems = {"SQL_TOO_MANY_ITEMS", "the SELECT list has more than 1000 columns", ""};
const Refusal kTrailingComma = {"SQL_TRAILING_COMMA", "no column stands between this comma and `$0`",
                                "remove the comma"};
const Refusal kTableAlias = {"SQL_TABLE_ALIAS", "a table alias is outside the SQL subset",
                             "leave it out: one model reads one table"};
const Refusal kTableName = {"SQL_TABLE_NAME", "`$0` is no name of a source or a model",
                            "names are lower case: letters a to z, digits and _; one that reads like SQL is written "
                            "{{ source(\"name\") }} or {{ ref(\"name\") }}"};
const Refusal kTableFunction = {"SQL_TABLE_FUNCTION", "the table function `$0` is outside the SQL subset",
                                "read a source or a model by its name"};
const Refusal kJoin = {"SQL_JOIN", "joins are outside the SQL subset",
                       "join in an engine such as Flink and declare its output topic as a source"};
const Refusal kTemplate = {"SQL_TEMPLATE", "this is neither {{ source(\"name\") }} nor {{ ref(\"name\") }}",
                           "only these two are known, each with one name in quotes"};
const Refusal kTemplateBlock = {"SQL_TEMPLATE_BLOCK", "template blocks and template comments are not known",
                                "write the statement itself; only {{ source(\"name\") }} and {{ ref(\"name\") }} are "
                                "known"};
const Refusal kTemplatePlace = {"SQL_TEMPLATE_PLACE", "a template can stand only after FROM", "write the value itself"};

// Expressions.
const Refusal kExpression = {"SQL_EXPRESSION", "expressions are outside the SQL subset (found `$0`)",
                             "select and compare plain columns; compute before or after this model"};
const Refusal kFunction = {"SQL_FUNCTION", "functions are outside the SQL subset (found `$0`)",
                           "select and compare plain columns; compute before or after this model"};
const Refusal kAggregate = {"SQL_AGGREGATE", "aggregates are outside the SQL subset (found `$0`)",
                            "aggregate in an engine such as Flink and declare its output topic as a source"};
const Refusal kCast = {"SQL_CAST", "casts are outside the SQL subset, and no type is converted",
                       "compare with a literal of the column's own type"};
const Refusal kCase = {"SQL_CASE", "CASE is outside the SQL subset", "make a model of each branch"};
const Refusal kParentheses = {"SQL_PARENTHESES", "parentheses are outside the SQL subset",
                              "leave them out: predicates are joined by AND alone"};
const Refusal kSubquery = {"SQL_SUBQUERY", "subqueries are outside the SQL subset",
                           "make a model of it and read that model by ref"};
const Refusal kWindow = {"SQL_WINDOW", "windows are outside the SQL subset",
                         "use an engine such as Flink and declare its output topic as a source"};
const Refusal kNullLiteral = {"SQL_NULL_LITERAL", "NULL can stand only after IS or IS NOT", "write column IS NULL"};

// WHERE.
const Refusal kOr = {"SQL_OR", "OR is outside the SQL subset", "make a model of each side"};
const Refusal kIn = {"SQL_IN", "IN is outside the SQL subset",
                     "one value: column = value; NOT IN: column != a AND column != b; else a model of each value"};
const Refusal kLike = {"SQL_LIKE", "pattern matching (`$0`) is outside the SQL subset",
                       "compare whole strings with = or !="};
const Refusal kBetween = {"SQL_BETWEEN", "BETWEEN is outside the SQL subset", "write column >= a AND column <= b"};
const Refusal kExists = {"SQL_EXISTS", "EXISTS is outside the SQL subset", "test a column with IS NOT NULL"};
const Refusal kOperator = {"SQL_OPERATOR", "`$0` is no operator of the SQL subset", "$1"};
const Refusal kChained = {"SQL_CHAINED", "comparisons cannot be chained", "write each one, joined by AND"};
const Refusal kNotComparison = {"SQL_NOT_COMPARISON", "NOT stands only before a boolean column",
                                "turn the comparison round: != for =, >= for <, IS NOT NULL for IS NULL"};
const Refusal kDoubleNot = {"SQL_DOUBLE_NOT", "NOT stands twice", "leave both out"};
const Refusal kNullComparison = {"SQL_NULL_COMPARISON", "a comparison with NULL is never true",
                                 "write column IS NULL or column IS NOT NULL"};
const Refusal kIsTruth = {"SQL_IS", "after IS stands NULL or NOT NULL, not `$0`",
                          "write column = TRUE, column = FALSE, or another comparison"};
const Refusal kColumnComparison = {"SQL_COLUMN_COMPARISON", "comparing two columns is outside the SQL subset",
                                   "compare a column with a literal; a string is written 'text'"};
const Refusal kConstantPredicate = {"SQL_CONSTANT_PREDICATE", "this predicate tests no column",
                                    "leave it out, or test a column"};
const Refusal kTooManyPredicates = {"SQL_TOO_MANY_PREDICATES", "WHERE has more than 1000 predicates", ""};

// Clauses after WHERE.
const Refusal kGroupBy = {"SQL_GROUP_BY", "GROUP BY is outside the SQL subset",
                          "aggregate in an engine such as Flink and declare its output topic as a source"};
const Refusal kHaving = {"SQL_HAVING", "HAVING is outside the SQL subset", "filter columns in WHERE"};
const Refusal kOrderBy = {"SQL_ORDER_BY", "ORDER BY is outside the SQL subset",
                          "leave it out: records keep the order of their partition"};
const Refusal kLimit = {"SQL_LIMIT", "LIMIT is outside the SQL subset", "leave it out: a stream has no end"};
const Refusal kOffset = {"SQL_OFFSET", "OFFSET is outside the SQL subset",
                         "`runtime.runner.initial_offset` says where a model begins"};
const Refusal kUnion = {"SQL_UNION", "UNION is outside the SQL subset", "make a model of each SELECT"};
const Refusal kIntersect = {"SQL_INTERSECT", "INTERSECT is outside the SQL subset", ""};
const Refusal kExcept = {"SQL_EXCEPT", "EXCEPT is outside the SQL subset", ""};
const Refusal kEmit = {"SQL_EMIT", "EMIT is outside the SQL subset",
                       "leave it out: each record is written as it comes"};

// Against the input's columns.
const Refusal kUnknownColumn = {"SQL_UNKNOWN_COLUMN", "the input has no column `$0`", "$1"};
const Refusal kUnknownColumnNear = {"SQL_UNKNOWN_COLUMN", "the input has no column `$0`", "did you mean `$1`?"};
const Refusal kAliasInWhere = {"SQL_ALIAS_IN_WHERE", "`$0` is an alias, and WHERE sees the input's columns alone",
                               "write `$1`"};
const Refusal kType = {"SQL_TYPE", "the column `$0` is $1", "no type is converted"};
const Refusal kOrderType = {"SQL_ORDER_TYPE", "only a BIGINT has an order, and the column `$0` is $1",
                            "compare it with = or !="};
const Refusal kNotBoolean = {"SQL_NOT_BOOLEAN", "only a BOOLEAN can stand alone, and the column `$0` is $1",
                             "compare it with a literal"};
const Refusal kAnyCompared = {"SQL_ANY_COMPARED", "the column `$0` is ANY, which is passed on unread",
                              "only IS NULL and IS NOT NULL can test it; declare its type to compare it"};

// Warnings.
const Refusal kContradiction = {"SQL_CONTRADICTION",
                                "with this predicate no value of `$0` passes, so the output stays empty",
                                "look at the other predicates on `$0`"};
const Refusal kNullContradiction = {"SQL_NULL_CONTRADICTION",
                                    "`$0` must be null and have a value at once, so the output stays empty",
                                    "look at the other predicates on `$0`"};
const Refusal kNeverNull = {"SQL_NEVER_NULL", "`$0` is required and never null, so the output stays empty",
                            "remove the predicate, or `required: true` where the column is declared"};
const Refusal kAlwaysNotNull = {"SQL_ALWAYS_NOT_NULL", "`$0` is required, so this is always true",
                                "remove the predicate, or `required: true` where the column is declared"};
const Refusal kAlwaysTrue = {"SQL_ALWAYS_TRUE", "every 64-bit integer passes this predicate on `$0`",
                             "write `$0` IS NOT NULL if that is what it is for"};

}  // namespace st::sql::refusal
