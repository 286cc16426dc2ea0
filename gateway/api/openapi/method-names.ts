// Returns the name of the TypeScript client's method for an operation: for `createBooking` with the tag Bookings,
// `bookings.create`.

// Method names for operations whose generated short name would not fit.
const METHOD_NAME_OVERRIDES: Record<string, string> = {
  createBookings: 'createMany',
  getBookableAvailability: 'get',
  getToken: 'me',
  listAvailableBookables: 'list',
  listTodaysEvents: 'listToday',
}

type NamedOperation = { operationId: string; tags: string[] }
export type MethodName = { resource: string; name: string }

export function nameMethods(operations: NamedOperation[]): Map<string, MethodName> {
  const methods = new Map<string, MethodName>()
  const taken = new Set<string>()
  for (const { operationId, tags } of operations) {
    const resource = lowerFirst(toCamelCase(tags[0] ?? ''))
    const short =
      METHOD_NAME_OVERRIDES[operationId] ?? shortenOperationName(operationId, toCamelCase(tags[0] ?? ''))
    // If two operations have the same short name, the second one keeps its whole name.
    const name = taken.has(`${resource}.${short}`) ? operationId : short
    taken.add(`${resource}.${name}`)
    methods.set(operationId, { resource, name })
  }
  return methods
}

/**
 * Shortens an operation's name: `listUserVehicles` of Users is `listVehicles`, `createBooking` of Bookings is `create`.
 */
function shortenOperationName(operationId: string, plural: string): string {
  for (const noun of [plural, plural.replace(/s$/, '')]) {
    const short = operationId.replace(new RegExp(`${noun}(?=[A-Z]|$)`), '')
    if (short !== operationId && short !== '') return short
  }
  return operationId
}

const toCamelCase = (text: string) => text.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
