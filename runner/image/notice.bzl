"""NOTICE: the licence texts of everything that is handed out with some programs."""

def st_notice(name, programs, libraries, **kwargs):
    """Makes NOTICE in this package, and externals.txt: the outside libraries that the build graph knows.

    Args:
      name: the target with NOTICE
      programs: the labels of what is handed out
      libraries: a file with the path of a shared library a line
      **kwargs: for the targets
    """
    native.genquery(
        name = "externals.txt",
        expression = "filter('^@', kind('cc_library rule', deps(set(%s))))" % " ".join(programs),
        opts = ["--noimplicit_deps"],
        scope = programs,
        **kwargs
    )

    # What Bazel compiles itself: name of the repository to its licence.
    licences = {
        "com_google_absl": "@com_google_absl//:LICENSE",
        "librdkafka": "@librdkafka//:LICENSE",
    }
    native.genrule(
        name = name,
        srcs = licences.values() + [
            libraries,
            "externals.txt",
            "//:LICENSE",
            "@system//:dpkg_status",
            "@system//:origins.txt",
        ],
        outs = ["NOTICE"],
        cmd = " ".join([
            "$(location //runner/image:notice.py)",
            "--ours=$(location //:LICENSE)",
            "--libraries=$(location %s)" % libraries,
            "--externals=$(location externals.txt)",
            "--origins=$(location @system//:origins.txt)",
            "--installed=/usr/share/ca-certificates/mozilla",
            "--output=$@",
        ] + ["--licence=%s=$(location %s)" % item for item in licences.items()]),
        tools = ["//runner/image:notice.py"],
        **kwargs
    )
