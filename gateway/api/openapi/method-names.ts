// The method of the TypeScript client that stands for an operation: `createBooking` of Bookings is `bookings.create`.

// Where the name of the operation without that of its resource is not the best one.
const RENAMED: Record<string, string> = {
  createBookings: 'createMany',
  getBookableAvailability: 'get',
  getToken: 'me',
  listAvailableBookables: 'list',
  listTodaysEvents: 'listToday',
}

type Operation = { operationId: string; tags: string[] }
export type Method = { resource: string; name: string }

export function nameMethods(operations: Operation[]): Map<string, Method> {
  const methods = new Map<string, Method>()
  const taken = new Set<string>()
  for (const { operationId, tags } of operations) {
    const resource = lowerFirst(camelCase(tags[0] ?? ''))
    const short = RENAMED[operationId] ?? shortName(operationId, camelCase(tags[0] ?? ''))
    // Two operations with the same short name keep their whole names.
    const name = taken.has(`${resource}.${short}`) ? operationId : short
    taken.add(`${resource}.${name}`)
    methods.set(operationId, { resource, name })
  }
  return methods
}

/** `listUserVehicles` of Users is `listVehicles`, `createBooking` of Bookings is `create`. */
function shortName(operationId: string, plural: string): string {
  for (const noun of [plural, plural.replace(/s$/, '')]) {
    const short = operationId.replace(new RegExp(`${noun}(?=[A-Z]|$)`), '')
    if (short !== operationId && short !== '') return short
  }
  return operationId
}

const camelCase = (text: string) => text.replace(/ (\w)/g, (_, letter: string) => letter.toUpperCase())
const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1)
