# SPDX-License-Identifier: Apache-2.0
"""How bash, zsh and fish complete a program's words: commands, their options, and of the values
those that are listed; where a file is meant, files."""

import re

import helptext

# What stands for a file or a folder wherever a program says it.
PATHS = {"FILE", "FILE...", "PATH", "DIR", "LIB", "TRACE", "STORY", "WHERE"}


def files(program):
    name = program.name
    return {
        f"share/bash-completion/completions/{name}": bash(program),
        f"share/zsh/site-functions/_{name}": zsh(program),
        f"share/fish/vendor_completions.d/{name}.fish": fish(program),
    }


def words_of(program):
    """The commands that are words; "(none)" is none."""
    return [c for c in program.commands if re.fullmatch(r"[a-z]+", c.name)]


def tables(program):
    """Commands with the options of each; one without a name if commands have none of their own."""
    own = [(c, program.options_of(c)) for c in words_of(program)]
    if any(options for _, options in own):
        return own
    return [(None, program.options)]


def arguments(command):
    """What else a command takes: words that are listed, and whether files."""
    words = helptext.OPTION.sub("", " ".join(command.ways)).split()
    listed = [c for w in words if "|" in w for c in w.split("|")]
    return listed, any(w in PATHS for w in words)


def takes_files(program):
    return any(
        set(way.split()) & PATHS for way in program.ways if not words_of(program)
    )


def bash(program):
    function = "_" + program.name.replace("-", "_")
    lines = [
        f"# {program.name}, in bash",
        f"{function}() {{",
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]}",
        "    local words='' value=''",
        "    COMPREPLY=()",
    ]
    commands = words_of(program)
    own = tables(program)
    for command, options in own:
        pad = "    "
        if command:
            lines.append(
                f"    if [[ ${{COMP_WORDS[1]}} == {command.name} && $COMP_CWORD -gt 1 ]]; then"
            )
            pad += "    "
        listed, paths = arguments(command) if command else ([], takes_files(program))
        if not command:
            listed = [c.name for c in commands]
        words = [o.name for o in options] + listed
        lines += [f"{pad}words='{' '.join(words)}'"]
        lines += [f"{pad}value=files"] if paths else []
        lines.append(f"{pad}case $prev in")
        for option in options:
            if option.value:
                lines.append(f"{pad}{option.name}) {bash_value(option)} ;;")
        lines.append(f"{pad}esac")
        if command:
            lines.append("    fi")
    if own[0][0]:
        first = [c.name for c in commands] + ["help", "--help", "--version"]
        lines.append(f"    [[ $COMP_CWORD -gt 1 ]] || words='{' '.join(first)}'")
    lines += [
        '    mapfile -t COMPREPLY < <(compgen -W "$words" -- "$cur")',
        "    if [[ $value == files && $cur != -* ]]; then",
        "        compopt -o filenames 2>/dev/null",
        '        mapfile -t -O ${#COMPREPLY[@]} COMPREPLY < <(compgen -f -- "$cur")',
        "    fi",
        "}",
        f"complete -F {function} {program.name}",
    ]
    return "\n".join(lines) + "\n"


def bash_value(option):
    if option.choices():
        return f"words='{' '.join(option.choices())}' value=''"
    return "words='' value=files" if option.value in PATHS else "words='' value=''"


def quoted(text):
    return text.replace("'", "'\\''")


def zsh_word(text):
    """In a word of _arguments brackets and colons have a meaning."""
    return quoted(re.sub(r"([\[\]:])", r"\\\1", text))


def zsh_option(option):
    word = f"'{option.name}[{zsh_word(option.about)}]"
    if option.choices():
        return word + f":{option.name[2:]}:({' '.join(option.choices())})'"
    if option.value:
        return (
            word
            + f":{zsh_word(option.value)}:{'_files' if option.value in PATHS else ''}'"
        )
    return word + "'"


def zsh(program):
    lines = [f"#compdef {program.name}"]
    own = tables(program)
    commands = words_of(program)
    if not own[0][0]:
        words = [zsh_option(o) for o in program.options]
        if commands:
            words.append(f"'1:command:({' '.join(c.name for c in commands)})'")
        words += ["'*:file:_files'"] if takes_files(program) else []
        return "\n".join([*lines, *zsh_arguments(words, "")]) + "\n"
    lines.append("if ((CURRENT == 2)); then")
    lines.append("    local -a commands=(")
    lines += [f"        '{c.name}:{zsh_word(c.about)}'" for c in commands]
    lines += ["    )", "    _describe command commands", "    return", "fi"]
    lines += [
        "local command=$words[2]",
        "shift words",
        "((CURRENT--))",
        "case $command in",
    ]
    for command, options in own:
        listed, paths = arguments(command)
        words = [zsh_option(o) for o in options]
        words += [f"'1:{command.name}:({' '.join(listed)})'"] if listed else []
        words += ["'*:file:_files'"] if paths else []
        lines += [f"{command.name})", *zsh_arguments(words, "    "), "    ;;"]
    return "\n".join([*lines, "esac"]) + "\n"


def zsh_arguments(words, pad):
    return [
        f"{pad}_arguments \\",
        *(f"{pad}    {w} \\" for w in words[:-1]),
        f"{pad}    {words[-1]}",
    ]


def fish(program):
    name, lines = program.name, [f"complete -c {program.name} -f"]
    commands = words_of(program)
    for command in commands:
        first = f"complete -c {name} -n __fish_use_subcommand -a {command.name}"
        lines.append(f"{first} -d '{quoted(command.about)}'")
    for command, options in tables(program):
        when = f"-n '__fish_seen_subcommand_from {command.name}' " if command else ""
        listed, paths = arguments(command) if command else ([], takes_files(program))
        if listed:
            lines.append(f"complete -c {name} {when}-a '{' '.join(listed)}'")
        if paths:
            lines.append(f"complete -c {name} {when}-F")
        for option in options:
            long = option.name.startswith("--")
            word = f"-l {option.name[2:]}" if long else f"-s {option.name[1:]}"
            takes = ""
            if option.choices():
                takes = f" -x -a '{' '.join(option.choices())}'"
            elif option.value:
                takes = " -r -F" if option.value in PATHS else " -x"
            lines.append(
                f"complete -c {name} {when}{word}{takes} -d '{quoted(option.about)}'"
            )
    return "\n".join(lines) + "\n"
