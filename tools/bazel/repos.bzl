"""External repositories, all of them on this machine already: nothing here downloads.

tools/dev/setup puts there what the distribution lacks. Serves Bazel 4 and, with a WORKSPACE, 7.
"""

_SET_UP = "; run tools/dev/setup"

def _link_all(ctx, folder):
    for entry in folder.readdir():
        if entry.basename not in ("WORKSPACE", "WORKSPACE.bazel", "MODULE.bazel"):
            ctx.symlink(entry, entry.basename)
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)

def _bazel_part_impl(ctx):
    folder = ctx.path("/usr/share/bazel/" + ctx.attr.packaged)
    if ctx.attr.ours:
        folder = ctx.path(ctx.attr.ours).dirname
    elif not folder.exists:
        fail("%s: %s does not exist%s" % (ctx.name, folder, _SET_UP))
    _link_all(ctx, folder)

_bazel_part = repository_rule(
    implementation = _bazel_part_impl,
    doc = "What Bazel's own rules load: from the distribution's packages, else a few lines of ours.",
    local = True,
    attrs = {
        "packaged": attr.string(doc = "folder under /usr/share/bazel"),
        "ours": attr.label(doc = "the BUILD file at the root of ours"),
    },
)

def _cache_folder(ctx):
    env = ctx.os.environ
    if env.get("ST_CACHE"):
        return env["ST_CACHE"]
    return (env.get("XDG_CACHE_HOME") or env.get("HOME", "") + "/.cache") + "/st"

def _pinned_source_impl(ctx):
    tried = []
    for line in ctx.read(Label("//tools/bazel:sources.txt")).splitlines():
        words = [word for word in line.split(" ") if word]
        if not words or words[0] != ctx.attr.package:
            continue
        patch = ["-" + words[4]] if len(words) > 4 else []
        folder = ctx.path("%s/%s-%s%s" % (_cache_folder(ctx), words[0], words[1], "".join(patch)))
        if folder.exists:
            _link_all(ctx, folder)
            if ctx.attr.build_file:
                ctx.symlink(ctx.attr.build_file, "BUILD")
            return
        tried.append(str(folder))
    fail("none of %s exists%s" % (", ".join(tried), _SET_UP))

_pinned_source = repository_rule(
    implementation = _pinned_source_impl,
    doc = "What tools/dev/setup made of a source package: the first version of sources.txt that is there.",
    local = True,
    configure = True,
    environ = ["HOME", "ST_CACHE", "XDG_CACHE_HOME"],
    attrs = {
        "package": attr.string(mandatory = True),
        "build_file": attr.label(allow_single_file = True),
    },
)

_SYSTEM_LIBRARY = """
cc_library(
    name = "{name}",
    hdrs = glob(["{name}/**"]),
    defines = {defines},
    includes = {includes},
    linkopts = {linkopts},
)
"""

def _pkg_config(ctx, flag, packages):
    result = ctx.execute(["pkg-config", flag] + packages)
    if result.return_code:
        fail("pkg-config finds no %s%s" % (" ".join(packages), _SET_UP))
    return [word for word in result.stdout.replace("\n", " ").split(" ") if word]

def _system_libraries_impl(ctx):
    for tool in ("pkg-config", "protoc"):
        if not ctx.which(tool):
            fail("%s is not installed%s" % (tool, _SET_UP))
    ctx.symlink(ctx.which("protoc"), "protoc")
    build = "package(default_visibility = [\"//visibility:public\"])\n\n"
    build += "exports_files([\"dpkg_status\", \"origins.txt\", \"protoc\"])\n"

    # What is made of installed files is made again when some package changes.
    ctx.symlink("/var/lib/dpkg/status", "dpkg_status")
    origins = ""
    for name, packages in ctx.attr.libraries.items():
        includes = []
        defines = []
        for flag in _pkg_config(ctx, "--cflags", packages):
            # A folder outside of the workspace can be named to the compiler only by a link inside.
            if flag.startswith("-I"):
                includes.append("%s/%d" % (name, len(includes)))
                ctx.symlink(flag[2:], includes[-1])
            elif flag.startswith("-D"):
                defines.append(flag[2:])
        for package in packages:
            folder = _pkg_config(ctx, "--variable=pcfiledir", [package])[0]
            origins += "%s %s/%s.pc\n" % (name, folder, package)
        build += _SYSTEM_LIBRARY.format(
            name = name,
            defines = defines,
            includes = includes,
            linkopts = ["-Wl,--as-needed"] + _pkg_config(ctx, "--libs", packages),
        )
    ctx.file("WORKSPACE", "workspace(name = \"%s\")\n" % ctx.name)
    ctx.file("origins.txt", origins)
    ctx.file("BUILD", build)

_system_libraries = repository_rule(
    implementation = _system_libraries_impl,
    doc = "The distribution's libraries, one target each, its protoc, and which file says that a library is there.",
    local = True,
    configure = True,
    environ = ["PATH", "PKG_CONFIG_PATH"],
    attrs = {"libraries": attr.string_list_dict(doc = "target to pkg-config packages")},
)

def st_repositories():
    """Declares every external repository. Each is looked for only when a target needs it."""

    # Debian's Bazel 4 does not tell its version, but Bazel 6 and later have this name.
    old = not hasattr(native, "module_name")
    ours = "//tools/bazel/external/%s:BUILD"
    _bazel_part(name = "bazel_features", packaged = "tools/features")
    _bazel_part(name = "bazel_skylib", packaged = "tools/skylib")
    _bazel_part(name = "com_google_googletest", ours = ours % "com_google_googletest")
    _bazel_part(name = "platforms", packaged = "tools/platforms")
    _bazel_part(name = "remote_coverage_tools", ours = ours % "remote_coverage_tools")
    _bazel_part(name = "rules_cc", packaged = "rules/cc", ours = ours % "rules_cc" if old else None)
    _bazel_part(name = "rules_java", packaged = "rules/java")
    _bazel_part(name = "rules_license", packaged = "rules/license")
    _bazel_part(name = "rules_proto", packaged = "rules/proto")
    _bazel_part(name = "rules_python", packaged = "rules/python")
    _pinned_source(name = "com_google_absl", package = "abseil")
    _pinned_source(name = "librdkafka", package = "librdkafka", build_file = "//tools/bazel:librdkafka.BUILD")
    _system_libraries(
        name = "system",
        libraries = {
            "benchmark": ["benchmark"],
            "crypto": ["libcrypto"],
            "curl": ["libcurl"],
            "gtest": ["gmock", "gtest"],
            "gtest_main": ["gmock_main"],
            "libpq": ["libpq"],
            "nlohmann_json": ["nlohmann_json"],
            "protobuf": ["protobuf"],
            "re2": ["re2"],
            "simdjson": ["simdjson"],
            "sqlite3": ["sqlite3"],
            "ssl": ["libssl"],
            "uuid": ["uuid"],
            "yaml": ["yaml-0.1"],
        },
    )
