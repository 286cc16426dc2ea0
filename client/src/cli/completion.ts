// Generates shell completion for bash, zsh and fish from the commands.
import { type Command, getAllOptions, UsageError } from './terminal/command.ts'
import { print } from './terminal/terminal.ts'

export function createCompletionCommand(commands: () => Command[]): Command {
  const writers: Record<string, (all: Command[]) => string> = { bash, zsh, fish }
  const shells = Object.keys(writers)
  return {
    name: 'completion',
    summary: `Prints a script with which ${shells.join(', ')} completes commands and options.`,
    takes: ['SHELL'],
    examples: [
      'source <(berth completion bash)       # in ~/.bashrc',
      'source <(berth completion zsh)        # in ~/.zshrc, after compinit',
      'berth completion fish > ~/.config/fish/completions/berth.fish',
    ],
    async run({ positionals: [shell = ''] }) {
      const write = writers[shell]
      if (!write) throw new UsageError(`SHELL must be one of ${shells.join(', ')}.`)
      print(write(commands()))
    },
  }
}

const joinCommandNames = (commands: Command[]) => commands.map(({ name }) => name).join(' ')
const listLongOptions = (command: Command) =>
  Object.keys(getAllOptions(command))
    .map((name) => `--${name}`)
    .join(' ')
const formatCases = (commands: Command[]) =>
  commands.map((command) => `    ${command.name}) words="${listLongOptions(command)}" ;;`).join('\n')

const bash = (commands: Command[]) => `_berth() {
  local words
  case "\${COMP_WORDS[1]}" in
${formatCases(commands)}
    *) words="" ;;
  esac
  [ "$COMP_CWORD" = 1 ] && words="${joinCommandNames(commands)}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _berth berth`

const zsh = (commands: Command[]) => `_berth() {
  local offered
  case "$words[2]" in
${formatCases(commands).replaceAll('words=', 'offered=')}
  esac
  (( CURRENT == 2 )) && offered="${joinCommandNames(commands)}"
  compadd -- \${=offered}
}
compdef _berth berth`

const quoteForShell = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fish = (commands: Command[]) =>
  commands
    .flatMap((command) => [
      `complete -c berth -n __fish_use_subcommand -f -a ${command.name} -d ${quoteForShell(command.summary)}`,
      ...Object.entries(getAllOptions(command)).map(
        ([name, { value, text }]) =>
          `complete -c berth -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${value ? ' -r' : ''} -d ${quoteForShell(text)}`,
      ),
    ])
    .join('\n')
