// Describes errors for the log and Redis: their kind, their place in the code, and the names that Postgres
// gives. Never includes a value that a client sent: messages quote values, and Postgres adds whole rows to
// them.

type Fault = Error & { code?: unknown; cause?: unknown; errors?: unknown; command?: unknown; inner?: unknown }

// Anything else in an error may hold data: Postgres’s `detail` and `where`, the arguments of a Redis command.
const MEMBERS =
  'code severity schema table column dataType constraint routine status syscall errno address port'.split(' ')
const FRAME = /^\s+at .*(:\d+:\d+\)?|\(<anonymous>\)|native\)?)$/
const DEPTH_MAX = 3

export function describeError(error: unknown, depth = 0): unknown {
  if (!(error instanceof Error)) return typeof error === 'object' && error !== null ? 'an object' : error
  const fault: Fault = error
  const { cause, errors, command } = fault
  const isDeep = depth >= DEPTH_MAX
  return {
    type: error.constructor.name,
    message: messageWithoutValues(error),
    stack: formatError(error),
    ...Object.fromEntries(
      Object.entries(error).filter(([name, value]) => MEMBERS.includes(name) && isPlain(value)),
    ),
    ...(nameOf(command) !== undefined && { command: nameOf(command) }),
    ...(cause !== undefined && !isDeep && { cause: describeError(cause, depth + 1) }),
    ...(Array.isArray(errors) && !isDeep && { errors: errors.map((each) => describeError(each, depth + 1)) }),
  }
}

/** The error's message, and where in the code it comes from. */
export function formatError(error: unknown): string {
  if (!(error instanceof Error)) return 'Something was thrown that is no error'
  const frames = (error.stack ?? '').split('\n').filter((line) => FRAME.test(line))
  return [`${error.name}: ${messageWithoutValues(error)}`, ...frames].join('\n')
}

export function messageWithoutValues(error: Error): string {
  const fault: Fault = error
  if (error.name === 'ValidationError' && Array.isArray(fault.inner)) return listBrokenFields(fault)
  // Redis quotes the arguments of a command that it does not know.
  const message = error.message.replace(/, with args beginning with:.*$/s, '')
  return quotesValues(fault) ? message.replace(/".*"/s, '"•••"') : message
}

// Class 22 of Postgres means invalid values, and quotes them: “invalid input syntax for type integer: "Ada"”.
// JSON.parse quotes its input too.
function quotesValues({ code, name }: Fault): boolean {
  return (typeof code === 'string' && code.startsWith('22')) || name === 'SyntaxError'
}

function listBrokenFields(fault: Fault): string {
  const inner = fault.inner as Array<{ path?: string; type?: string }>
  const broken = inner.length > 0 ? inner : [fault as { path?: string; type?: string }]
  return broken.map(({ path, type }) => `${path || 'the whole'} (${type ?? 'invalid'})`).join(', ')
}

function nameOf(command: unknown): unknown {
  return typeof command === 'object' && command !== null && 'name' in command ? command.name : undefined
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number'
}
