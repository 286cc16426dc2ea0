// Defines a command of `berth`: its arguments, options and help. Shell completion is generated from these definitions
// too.
import { parseArgs } from 'node:util'

/** Thrown if the command line is wrong. The exit code is then 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

export type Option = {
  /** The placeholder for the option's value in the help. An option without a placeholder takes no value. */
  value?: string
  text: string
  isList?: boolean
}

export type CommandInput = {
  positionals: string[]
  option(name: string): string | undefined
  list(name: string): string[]
  flag(name: string): boolean
  signal: AbortSignal
}

export type Command = {
  name: string
  summary: string
  /**
   * The arguments as the help shows them. Arguments in brackets are optional, and `…` marks an argument that may be
   * repeated.
   */
  takes?: string[]
  text?: string
  options?: Record<string, Option>
  examples: string[]
  run(given: CommandInput): Promise<void>
}

const COMMON_OPTIONS: Record<string, Option> = {
  url: {
    value: 'URL',
    text: 'The address of the installation; otherwise BERTH_URL, or where you signed in.',
  },
  json: { text: 'Prints JSON, for programs.' },
  help: { text: 'Shows this help.' },
}

export const getAllOptions = (command: Command) => ({ ...command.options, ...COMMON_OPTIONS })

export function parseCommand(command: Command, args: string[], signal: AbortSignal): CommandInput {
  const options = Object.fromEntries(
    Object.entries(getAllOptions(command)).map(([name, { value, isList = false }]) => [
      name,
      { type: value ? ('string' as const) : ('boolean' as const), multiple: isList },
    ]),
  )
  const { values, positionals } = parseArguments(command, args, options)
  const { takes = [] } = command
  const isEndless = takes.some((name) => name.includes('…'))
  const needed = takes.filter((name) => !name.startsWith('['))
  if (values['help'] !== true) {
    const missing = needed[positionals.length]
    if (missing) throw new UsageError(`${missing} is missing.`)
    const extra = positionals[takes.length]
    if (extra !== undefined && !isEndless)
      throw new UsageError(`“${extra}” is one argument too many: put names with spaces in quotes.`)
  }
  return {
    positionals,
    option: (name) => values[name] as string | undefined,
    list: (name) => (values[name] ?? []) as string[],
    flag: (name) => values[name] === true,
    signal,
  }
}

type ParseOptions = NonNullable<NonNullable<Parameters<typeof parseArgs>[0]>['options']>

function parseArguments(command: Command, args: string[], options: ParseOptions) {
  try {
    return parseArgs({ args, options, allowPositionals: true })
  } catch (error) {
    const [first] = (error as Error).message.split('. ')
    throw new UsageError(`${first}. See: berth ${command.name} --help`)
  }
}

export function formatHelp(command: Command): string {
  const { name, summary, takes = [], text, examples } = command
  const options = Object.entries(getAllOptions(command)).map(
    ([option, { value, text: what }]): [string, string] => [`--${option}${value ? ` ${value}` : ''}`, what],
  )
  return [
    summary,
    `Usage: ${['berth', name, ...takes].join(' ')} [options]`,
    ...(text ? [text] : []),
    `Options:\n${formatPairs(options)}`,
    `Examples:\n${examples.map((example) => `  ${example}`).join('\n')}`,
  ].join('\n\n')
}

export function formatPairs(pairs: Array<[string, string]>): string {
  const width = Math.max(...pairs.map(([name]) => name.length))
  return pairs.map(([name, text]) => `  ${name.padEnd(width)}  ${text}`).join('\n')
}
