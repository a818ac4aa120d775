"""What is known of programs by their names."""

from __future__ import annotations

from keen_tui.security.shell_levels import names

READS_WHATEVER = names(
    "ls cat head tail wc pwd which whereis file stat du df basename dirname realpath readlink nl cut "
    "tr paste column fold fmt expand unexpand comm diff cmp join tac rev seq true false id whoami "
    "groups uname arch nproc uptime tty md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum "
    "cksum sum base64 base32 od hexdump strings grep egrep fgrep sleep : cal locale type free"
)
"""Programs that only read, whatever their options."""

MAY_TAKE_COMPUTED = names("echo printf true false : test [ basename dirname seq")
"""Reading programs that never open a file their words name: words of a command substitution are fine."""

VERSION_ONLY = names(
    "python python3 node npm pnpm yarn bun deno cargo rustc rustup go gcc g++ clang cc make cmake "
    "java javac ruby perl php pip pip3 uv poetry ruff mypy pytest docker kubectl gh tsc rg fd jq bash "
    "zsh sh tmux vim"
)

SHORT_VERSION: dict[str, set[str]] = {name: {"-v"} for name in ("node", "npm", "pnpm", "yarn", "bun", "gcc", "ruby")}

WRITES_ARGUMENTS = names("touch mkdir cp mv ln install tee rmdir patch unzip split csplit mkfifo")

NETWORK = names(
    "curl wget ssh scp sftp rsync nc ncat netcat socat telnet ftp tftp ping dig nslookup host whois "
    "traceroute mtr nmap gh glab aws gcloud az gsutil kubectl helm terraform tofu ansible npx bunx "
    "uvx pipx heroku fly vercel netlify apt apt-get apk dnf yum pacman zypper brew snap conda mamba "
    "psql mysql redis-cli mongosh twine http https xh lynx w3m aria2c rclone s3cmd mail sendmail "
    "openssl"
)

NETWORK_VERBS: dict[str, frozenset[str]] = {
    "npm": names("install i ci add update publish audit exec x view outdated"),
    "pnpm": names("install i add update publish dlx audit outdated"),
    "yarn": frozenset(["install", "add", "upgrade", "publish", "dlx"]),
    "bun": frozenset(["install", "add", "update", "publish", "x"]),
    "pip": frozenset(["install", "download", "wheel", "index", "search"]),
    "pip3": frozenset(["install", "download", "wheel", "index", "search"]),
    "uv": names("sync add lock pip tool publish self python"),
    "poetry": frozenset(["install", "add", "update", "publish", "lock"]),
    "cargo": names("install add fetch publish update search"),
    "go": frozenset(["get", "install", "mod"]),
    "docker": names("pull push run build login compose buildx search"),
    "podman": frozenset(["pull", "push", "run", "build", "login"]),
    "gem": frozenset(["install", "update", "push"]),
    "bundle": frozenset(["install", "update"]),
    "composer": frozenset(["install", "update", "require"]),
}

DESTRUCTIVE = names(
    "rm dd shred truncate wipefs fdisk sfdisk parted mount umount kill killall pkill shutdown reboot "
    "halt poweroff init telinit crontab iptables nft useradd userdel usermod passwd chpasswd swapoff "
    "fsck lvremove srm unlink insmod rmmod modprobe sysctl"
)

RECURSIVE_DESTRUCTIVE = frozenset(["chmod", "chown", "chgrp", "setfacl", "chattr"])

DESTRUCTIVE_VERBS: dict[str, frozenset[str]] = {
    "docker": names("rm rmi prune kill stop system volume network container image"),
    "podman": names("rm rmi prune kill stop system volume"),
    "kubectl": frozenset(["delete", "drain", "replace"]),
    "terraform": frozenset(["destroy", "apply"]),
    "tofu": frozenset(["destroy", "apply"]),
    "helm": frozenset(["uninstall", "delete", "rollback"]),
    "systemctl": names("stop restart disable mask kill reboot poweroff halt isolate"),
    "npm": frozenset(["unpublish"]),
    "cargo": frozenset(["yank"]),
    "gh": frozenset(["api", "secret"]),
}

DECLARES = names("export declare typeset local readonly")

LEAKS_SECRETS = names("env printenv set export declare typeset")
"""Without arguments these print the environment, keys included."""

INTERPRETERS = names("python python2 python3 node deno bun ruby perl php lua Rscript julia tclsh osascript pwsh irb")
SHELLS = names("bash sh zsh dash ksh ash fish busybox")

UNKNOWABLE = names(
    "alias unalias source . enable hash bind complete compopt fc history shopt coproc mapfile "
    "readarray parallel watch script screen tmux vim vi nano emacs ed ex less more man gdb strace "
    "expect su chroot unshare nsenter at batch ltrace xdg-open open entr make-shell rlwrap flock"
)
"""Programs that run others in ways that are not read here, or change what later words mean."""

PLAIN_TOOLS = names(
    "pytest mypy black isort flake8 pylint pyright tsc eslint prettier jest vitest rustfmt gofmt "
    "clang-format shellcheck gcc g++ cc clang rustc javac ctest ninja tox tar zip gzip gunzip"
)
"""Programs whose first word is no subcommand."""

RUNNERS: dict[str, frozenset[str]] = {
    "npm": frozenset(["run", "run-script", "exec", "x"]),
    "pnpm": frozenset(["run", "exec", "dlx"]),
    "yarn": frozenset(["run", "dlx"]),
    "bun": frozenset(["run", "x"]),
    "uv": frozenset(["run", "pip", "tool", "python"]),
    "poetry": frozenset(["run"]),
    "pdm": frozenset(["run"]),
    "hatch": frozenset(["run"]),
    "docker": frozenset(["compose", "buildx"]),
    "gh": names("pr issue run repo release workflow"),
    "go": frozenset(["mod", "tool"]),
    "deno": frozenset(["task"]),
    "bundle": frozenset(["exec"]),
}
"""Subcommands whose own first word belongs to a rule as well: `npm run build`."""

DANGEROUS_VARIABLE_NAMES = (
    r"(?:PATH|IFS|ENV|HOME|SHELL|PAGER|EDITOR|VISUAL|BROWSER|CDPATH|GLOBIGNORE|OLDPWD|PWD|TMPDIR|CC|CXX|AR|LD"
    r"|LD_\w+|DYLD_\w+|GIT_\w+|BASH\w*|SHELLOPTS|PS[0-4]|PROMPT_COMMAND|LESS\w*|MAN\w*|PYTHON(?!UNBUFFERED|"
    r"DONTWRITEBYTECODE|HASHSEED|WARNINGS|UTF8)\w*|PERL5\w*|PERLLIB|RUBY\w*|NODE_OPTIONS|\w*_OPTIONS|\w*OPTS?"
    r"|\w*FLAGS|\w*_WRAPPER|\w*CONFIG\w*|GREP_\w+|SSH_\w+|XDG_\w+|\w*_PAGER|\w*_EDITOR|\w*_COMMAND|\w*_PATH"
    r"|\w+PATH|\w*_HOME|\w*_proxy|\w*_PROXY|TAR_\w+|DOCKER_\w+|KUBE\w+|AWS_\w+|CARGO_\w+|RUSTC\w*|GO(?:BIN|ROOT)"
    r"|POSIXLY_CORRECT|FUNCNEST|HIST\w*|INPUTRC|TERMINFO\w*|npm_\w+|PIP_\w+|UV_\w+|DISPLAY|FPATH|ZDOTDIR)\Z"
)
HARMLESS_VARIABLE_NAMES = (
    r"(?:LC_\w+|LANG|LANGUAGE|TZ|NO_COLOR|FORCE_COLOR|CLICOLOR\w*|COLUMNS|LINES|TERM|COLORTERM|CI|"
    r"PYTHONUNBUFFERED|PYTHONDONTWRITEBYTECODE|PYTHONUTF8|RUST_BACKTRACE)\Z"
)
