// Completion for bash, zsh and fish, made from the commands.
import { type Command, optionsOf, UsageError } from './terminal/command.ts'
import { print } from './terminal/terminal.ts'

export function completionCommand(commands: () => Command[]): Command {
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

const namesOf = (commands: Command[]) => commands.map(({ name }) => name).join(' ')
const longOptions = (command: Command) =>
  Object.keys(optionsOf(command))
    .map((name) => `--${name}`)
    .join(' ')
const cases = (commands: Command[]) =>
  commands.map((command) => `    ${command.name}) words="${longOptions(command)}" ;;`).join('\n')

const bash = (commands: Command[]) => `_berth() {
  local words
  case "\${COMP_WORDS[1]}" in
${cases(commands)}
    *) words="" ;;
  esac
  [ "$COMP_CWORD" = 1 ] && words="${namesOf(commands)}"
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _berth berth`

const zsh = (commands: Command[]) => `_berth() {
  local offered
  case "$words[2]" in
${cases(commands).replaceAll('words=', 'offered=')}
  esac
  (( CURRENT == 2 )) && offered="${namesOf(commands)}"
  compadd -- \${=offered}
}
compdef _berth berth`

const quote = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`

const fish = (commands: Command[]) =>
  commands
    .flatMap((command) => [
      `complete -c berth -n __fish_use_subcommand -f -a ${command.name} -d ${quote(command.summary)}`,
      ...Object.entries(optionsOf(command)).map(
        ([name, { value, text }]) =>
          `complete -c berth -n '__fish_seen_subcommand_from ${command.name}' -l ${name}${value ? ' -r' : ''} -d ${quote(text)}`,
      ),
    ])
    .join('\n')
