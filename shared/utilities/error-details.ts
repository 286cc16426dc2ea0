// Describes errors for the log and for Redis: their kind, their place in the code, and the names that Postgres reports.
// The description never includes a value that a client sent: messages quote values, and Postgres adds whole rows to
// errors.

type LoggedError = Error & {
  code?: unknown
  cause?: unknown
  errors?: unknown
  command?: unknown
  inner?: unknown
}

// The members of an error that the log may contain. All others may contain data, such as Postgres's `detail` and
// `where`, or the arguments of a Redis command.
const LOGGED_MEMBERS =
  'code severity schema table column dataType constraint routine status syscall errno address port'.split(' ')
const STACK_FRAME_PATTERN = /^\s+at .*(:\d+:\d+\)?|\(<anonymous>\)|native\)?)$/
const DEPTH_MAX = 3

export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? 'an object' : error
  const fault: LoggedError = error
  const { cause, errors, command } = fault
  const isDeep = depth >= DEPTH_MAX
  return {
    type: error.constructor.name,
    message: removeValues(error),
    stack: formatError(error),
    ...Object.fromEntries(
      Object.entries(error).filter(([name, value]) => LOGGED_MEMBERS.includes(name) && isPlainValue(value)),
    ),
    ...(getCommandName(command) !== undefined && { command: getCommandName(command) }),
    ...(cause !== undefined && !isDeep && { cause: describeError(cause, depth + 1) }),
    ...(Array.isArray(errors) && !isDeep && { errors: errors.map((each) => describeError(each, depth + 1)) }),
  }
}

/** Returns the error's message and its place in the code. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return 'Something was thrown that is no error'
  const frames = (error.stack ?? '').split('\n').filter((line) => STACK_FRAME_PATTERN.test(line))
  return [`${error.name}: ${removeValues(error)}`, ...frames].join('\n')
}

export function removeValues(error: Error): string {
  const fault: LoggedError = error
  if (error.name === 'ValidationError' && Array.isArray(fault.inner)) return listBrokenFields(fault)
  // Removes the arguments that Redis quotes when it does not know a command.
  const message = error.message.replace(/, with args beginning with:.*$/s, '')
  return quotesValues(fault) ? message.replace(/".*"/s, '"•••"') : message
}

// Whether the error's message quotes values. Postgres errors of class 22 are about invalid values, and quote them, as
// in “invalid input syntax for type integer: "Ada"”. JSON.parse quotes its input too.
function quotesValues({ code, name }: LoggedError): boolean {
  return (typeof code === 'string' && code.startsWith('22')) || name === 'SyntaxError'
}

function listBrokenFields(fault: LoggedError): string {
  const inner = fault.inner as Array<{ path?: string; type?: string }>
  const broken = inner.length > 0 ? inner : [fault as { path?: string; type?: string }]
  return broken.map(({ path, type }) => `${path || 'the whole'} (${type ?? 'invalid'})`).join(', ')
}

function getCommandName(command: unknown): unknown {
  return typeof command === 'object' && command !== null && 'name' in command ? command.name : undefined
}

function isPlainValue(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}
