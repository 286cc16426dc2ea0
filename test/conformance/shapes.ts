// The shapes of answers, in the terms of the interface's tables. Additional fields are allowed, because a server may
// return more.

export type Json = null | boolean | number | string | Json[] | { [name: string]: Json }

export type Shape = (value: Json | undefined, path: string) => string[]

const is =
  (what: string, test: (value: Json | undefined) => boolean): Shape =>
  (value, path) =>
    test(value) ? [] : [`${path} is ${value === undefined ? 'absent' : show(value)}, not ${what}`]

export const integer = is('an integer', (value) => Number.isInteger(value))
export const text = is('a string', (value) => typeof value === 'string')
export const flag = is('a boolean', (value) => typeof value === 'boolean')
export const anything = is('there', (value) => value !== undefined)
export const absent = is('absent', (value) => value === undefined)
export const nothing = is('null', (value) => value === null)

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/
export const timestamp = is(
  'an ISO 8601 UTC string with six fractional digits and Z',
  (value) => typeof value === 'string' && TIMESTAMP.test(value),
)
const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i
export const uuid = is('of the shape of a UUID', (value) => typeof value === 'string' && UUID.test(value))

export const oneOf = (...values: Json[]) =>
  is(`one of ${values.join(', ')}`, (value) => values.includes(value ?? null))

export const nullable =
  (shape: Shape): Shape =>
  (value, path) =>
    value === null ? [] : shape(value, path)

export const optional =
  (shape: Shape): Shape =>
  (value, path) =>
    value === undefined ? [] : shape(value, path)

export const listOf =
  (shape: Shape): Shape =>
  (value, path) =>
    Array.isArray(value)
      ? value.flatMap((item, index) => shape(item, `${path}[${index}]`))
      : [`${path} is ${show(value)}, not an array`]

export const object =
  (members: Record<string, Shape>): Shape =>
  (value, path) =>
    isObject(value)
      ? Object.entries(members).flatMap(([name, shape]) => shape(value[name], `${path}.${name}`))
      : [`${path} is ${show(value)}, not an object`]

/** Every answer to a read is an object with a single key. */
export const data =
  (shape: Shape): Shape =>
  (value, path) => {
    if (!isObject(value)) return [`${path} is ${show(value)}, not an object with the key data`]
    const others = Object.keys(value).filter((name) => name !== 'data')
    const problems = others.map((name) => `${path} has the key ${name} beside data`)
    return [...problems, ...shape(value.data, `${path}.data`)]
  }

export function isObject(value: Json | undefined): value is { [name: string]: Json } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Returns the value at the given path, or undefined if it does not exist. */
export function at(value: Json | undefined, ...path: Array<string | number>): Json | undefined {
  let found = value
  for (const part of path) {
    if (typeof part === 'number') found = Array.isArray(found) ? found[part] : undefined
    else found = isObject(found) ? found[part] : undefined
  }
  return found
}

export const items = (value: Json | undefined): Json[] => {
  const found = at(value, 'data')
  return Array.isArray(found) ? found : []
}

const SHOWN_MAX = 200
export const show = (value: Json | undefined) => (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_MAX)
