"""What is known of programs by their names."""

from __future__ import annotations

READS_WHATEVER = frozenset(
    "ls cat head tail wc pwd which whereis file stat du df basename dirname realpath readlink nl cut tr paste "
    "column fold fmt expand unexpand comm diff cmp join tac rev seq true false id whoami groups uname arch "
    "nproc uptime tty md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum cksum sum base64 base32 od "
    "hexdump strings grep egrep fgrep sleep : cal locale type free".split()
)
"""Programs that only read, whatever their options."""

MAY_TAKE_COMPUTED = frozenset("echo printf true false : test [ basename dirname seq".split())
"""Reading programs that never open a file their words name: words of a command substitution are fine."""

VERSION_ONLY = frozenset(
    "python python3 node npm pnpm yarn bun deno cargo rustc rustup go gcc g++ clang cc make cmake java javac "
    "ruby perl php pip pip3 uv poetry ruff mypy pytest docker kubectl gh tsc rg fd jq bash zsh sh tmux vim".split()
)

WRITES_ARGUMENTS = frozenset("touch mkdir cp mv ln install tee rmdir patch unzip split csplit mkfifo".split())

NETWORK = frozenset(
    "curl wget ssh scp sftp rsync nc ncat netcat socat telnet ftp tftp ping dig nslookup host whois traceroute "
    "mtr nmap gh glab aws gcloud az gsutil kubectl helm terraform tofu ansible npx bunx uvx pipx heroku fly "
    "vercel netlify apt apt-get apk dnf yum pacman zypper brew snap conda mamba psql mysql redis-cli mongosh "
    "twine http https xh lynx w3m aria2c rclone s3cmd mail sendmail openssl".split()
)

NETWORK_VERBS: dict[str, frozenset[str]] = {
    "npm": frozenset("install i ci add update publish audit exec x view outdated".split()),
    "pnpm": frozenset("install i add update publish dlx audit outdated".split()),
    "yarn": frozenset("install add upgrade publish dlx".split()),
    "bun": frozenset("install add update publish x".split()),
    "pip": frozenset("install download wheel index search".split()),
    "pip3": frozenset("install download wheel index search".split()),
    "uv": frozenset("sync add lock pip tool publish self python".split()),
    "poetry": frozenset("install add update publish lock".split()),
    "cargo": frozenset("install add fetch publish update search".split()),
    "go": frozenset("get install mod".split()),
    "docker": frozenset("pull push run build login compose buildx search".split()),
    "podman": frozenset("pull push run build login".split()),
    "gem": frozenset("install update push".split()),
    "bundle": frozenset("install update".split()),
    "composer": frozenset("install update require".split()),
}

DESTRUCTIVE = frozenset(
    "rm dd shred truncate wipefs fdisk sfdisk parted mount umount kill killall pkill shutdown reboot halt "
    "poweroff init telinit crontab iptables nft useradd userdel usermod passwd chpasswd swapoff fsck lvremove "
    "srm unlink insmod rmmod modprobe sysctl".split()
)

RECURSIVE_DESTRUCTIVE = frozenset("chmod chown chgrp setfacl chattr".split())

DESTRUCTIVE_VERBS: dict[str, frozenset[str]] = {
    "docker": frozenset("rm rmi prune kill stop system volume network container image".split()),
    "podman": frozenset("rm rmi prune kill stop system volume".split()),
    "kubectl": frozenset("delete drain replace".split()),
    "terraform": frozenset("destroy apply".split()),
    "tofu": frozenset("destroy apply".split()),
    "helm": frozenset("uninstall delete rollback".split()),
    "systemctl": frozenset("stop restart disable mask kill reboot poweroff halt isolate".split()),
    "npm": frozenset(["unpublish"]),
    "cargo": frozenset(["yank"]),
    "gh": frozenset(["api", "secret"]),
}

LEAKS_SECRETS = frozenset("env printenv set export declare typeset".split())
"""Without arguments these print the environment, keys included."""

INTERPRETERS = frozenset(
    "python python2 python3 node deno bun ruby perl php lua Rscript julia tclsh osascript pwsh irb".split()
)
SHELLS = frozenset("bash sh zsh dash ksh ash fish busybox".split())

UNKNOWABLE = frozenset(
    "alias unalias source . enable hash bind complete compopt fc history shopt coproc mapfile readarray parallel "
    "watch script screen tmux vim vi nano emacs ed ex less more man gdb strace expect su chroot unshare nsenter "
    "at batch ltrace xdg-open open entr make-shell rlwrap flock".split()
)
"""Programs that run others in ways that are not read here, or change what later words mean."""

PLAIN_TOOLS = frozenset(
    "pytest mypy black isort flake8 pylint pyright tsc eslint prettier jest vitest rustfmt gofmt clang-format "
    "shellcheck gcc g++ cc clang rustc javac ctest ninja tox tar zip gzip gunzip".split()
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
    "gh": frozenset(["pr", "issue", "run", "repo", "release", "workflow"]),
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
