"""Our C++ targets: native rules with warnings as errors, and C++ from .proto files."""

_WARNINGS = [
    "-Wall",
    "-Wextra",
    "-Werror",
    "-Wextra-semi",
    "-Wnon-virtual-dtor",
    "-Woverloaded-virtual",
    "-Wshadow",
]

def st_cc_library(name, copts = [], **kwargs):
    """A cc_library whose warnings are errors. Only its package sees it unless it says otherwise."""
    native.cc_library(name = name, copts = _WARNINGS + copts, **kwargs)

def st_cc_binary(name, copts = [], **kwargs):
    """A cc_binary whose warnings are errors."""
    native.cc_binary(name = name, copts = _WARNINGS + copts, **kwargs)

def st_cc_test(name, copts = [], deps = [], size = "small", **kwargs):
    """A GoogleTest with its main."""
    native.cc_test(
        name = name,
        size = size,
        copts = _WARNINGS + copts,
        deps = deps + [
            "//tools/bazel:tsan_suppressions",
            "@system//:gtest",
            "@system//:gtest_main",
        ],
        **kwargs
    )

def st_cc_fuzz_test(name, seeds = [], copts = [], **kwargs):
    """A libFuzzer target, for --config=fuzz alone. `//...` leaves it out; tools/dev/test --fuzz finds it by its tag.

    Args:
      name: the program; "<name>_seeds" are the files that its corpus starts with
      seeds: those files
      copts: as of a cc_binary
      **kwargs: as of a cc_binary
    """
    native.filegroup(
        name = name + "_seeds",
        testonly = True,
        srcs = seeds,
    )
    native.cc_binary(
        name = name,
        testonly = True,
        copts = _WARNINGS + copts,
        linkopts = ["-fsanitize=fuzzer"],
        tags = [
            "fuzz",
            "manual",
        ],
        **kwargs
    )

def st_proto_library(name, src, deps = [], **kwargs):
    """C++ from one .proto file, by the machine's protoc.

    Imports and includes are paths from the workspace's root. One target a file, so that a translation unit
    pays only for the messages that it uses.

    Args:
      name: the C++ library; "<name>_files" are the .proto and all that it imports
      src: the .proto file, of this package
      deps: the st_proto_libraries of its imports, with a colon in each label
      **kwargs: for the cc_library
    """
    stem = src[:-len(".proto")]
    visibility = {"visibility": kwargs["visibility"]} if "visibility" in kwargs else {}
    native.filegroup(
        name = name + "_files",
        srcs = [src] + [dep + "_files" for dep in deps],
        **visibility
    )
    native.genrule(
        name = name + "_cc",
        srcs = [
            src,
            name + "_files",
        ],
        outs = [
            stem + ".pb.cc",
            stem + ".pb.h",
        ],
        cmd = "$(location @system//:protoc) --proto_path=. --cpp_out=$(GENDIR) $(location %s)" % src,
        tools = ["@system//:protoc"],
        visibility = ["//visibility:private"],
    )
    native.cc_library(
        name = name,
        srcs = [stem + ".pb.cc"],
        hdrs = [stem + ".pb.h"],
        copts = ["-w"],
        deps = deps + ["@system//:protobuf"],
        **kwargs
    )
