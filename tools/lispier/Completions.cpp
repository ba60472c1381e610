//===- Completions.cpp - words that a shell offers ------------------------===//
#include "Completions.h"
#include "OptionTable.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace {
std::string commands() {
  std::string names;
  for (const CommandRow &row : commandTable())
    names += (names.empty() ? "" : " ") + row.name.str();
  return names;
}

/// An option as it is typed: with `=` where a value follows.
std::string typed(const OptionRow &row) {
  bool takesValue = !row.value.empty() && row.name.starts_with("--");
  return row.name.str() + (takesValue && !row.value.starts_with("[") ? "=" : "");
}

std::string optionsOf(unsigned commands) {
  std::string names;
  for (const OptionRow &row : optionTable())
    if (row.commands & commands)
      names += (names.empty() ? "" : " ") + typed(row);
  return names + " --help";
}

constexpr StringLiteral kBash = R"(# lispier --completions=bash; zsh reads it after bashcompinit.
_lispier() {
  local word=${COMP_WORDS[COMP_CWORD]} options= words=
  # An option and its value are three words of bash's.
  if [[ $word == "=" ]]; then
    words=${COMP_WORDS[COMP_CWORD-1]} word=
  elif [[ $COMP_CWORD -ge 2 && ${COMP_WORDS[COMP_CWORD-1]} == "=" ]]; then
    words=${COMP_WORDS[COMP_CWORD-2]}
  fi
  case $words in
%WORDS
  "") ;;
  *) words= ;;
  esac
  if [[ -n $words ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
    return
  fi
  case ${COMP_WORDS[1]} in
%OPTIONS
  *) options="%ALL" ;;
  esac
  if [[ $word == -* ]]; then
    compopt -o nospace
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ $COMP_CWORD -eq 1 ]]; then
    COMPREPLY=($(compgen -W "%COMMANDS" -- "$word") $(compgen -f -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _lispier lispier
)";

void replace(std::string &text, StringRef mark, StringRef by) {
  size_t at = text.find(mark);
  text.replace(at, mark.size(), by);
}

std::string bash() {
  std::string text = kBash.str(), words, options;
  for (const OptionRow &row : optionTable())
    if (row.words)
      words += ("  " + row.name + ") words=\"" + join(row.words(), " ") + "\" ;;\n").str();
  for (const CommandRow &row : commandTable())
    options += ("  " + row.name + ") options=\"" + optionsOf(1u << unsigned(row.command)) + "\" ;;\n").str();
  replace(text, "%WORDS", StringRef(words).rtrim());
  replace(text, "%OPTIONS", StringRef(options).rtrim());
  replace(text, "%ALL", optionsOf(~0u));
  replace(text, "%COMMANDS", commands());
  return text;
}

/// In single quotes, for fish.
std::string quoted(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\'' || c == '\\' ? std::string("\\") + c : std::string(1, c);
  return result + "'";
}

void printFish(raw_ostream &os) {
  os << "# lispier --completions=fish\n";
  for (const CommandRow &row : commandTable())
    os << "complete -c lispier -n __fish_use_subcommand -a " << row.name << " -d " << quoted(row.help) << '\n';
  for (const OptionRow &row : optionTable()) {
    std::string of;
    for (const CommandRow &command : commandTable())
      if (row.commands & 1u << unsigned(command.command))
        of += " " + command.name.str();
    os << "complete -c lispier -n '__fish_seen_subcommand_from" << of << "' "
       << (row.name.starts_with("--") ? "-l " : "-s ") << row.name.ltrim('-');
    if (row.words)
      os << " -x -a " << quoted(join(row.words(), " "));
    else if (!row.value.empty() && !row.value.starts_with("["))
      os << " -r";
    os << " -d " << quoted(row.help) << '\n';
  }
}
} // namespace

bool printCompletions(raw_ostream &os, StringRef shell) {
  if (shell == "fish")
    printFish(os);
  else if (shell == "zsh")
    os << "autoload -U +X bashcompinit && bashcompinit\n" << bash();
  else if (shell == "bash")
    os << bash();
  else
    return false;
  return true;
}
