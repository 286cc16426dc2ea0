// Creates valid values: by the OpenAPI schema, or by the name of a field that needs an existing value.
import type { JsonSchema } from '../../../gateway/api/openapi/json-schema.ts'
import type { Random } from '../../harness/random.ts'
import type { Dictionary } from './dictionary.ts'

const DAY_MS = 86_400_000
const TIME_ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'asia/kathmandu']
const formatDate = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const isDate = (value: unknown) => /^\d{4}-\d\d-\d\d$/.test(String(value))
const isTimeOfDay = (value: unknown) => /^\d\d:\d\d$/.test(String(value))
const WORDS = ['Anna', 'Zoë', '会議室', 'a b', 'Team-Raum <1>', 'O’Neill & Co', '😀']

export class ValidValues {
  readonly #random: Random
  readonly #dictionary: Dictionary

  constructor(random: Random, dictionary: Dictionary) {
    this.#random = random
    this.#dictionary = dictionary
  }

  /** Returns the fields of a query or body: all required fields, and some optional ones. */
  fields(schema: JsonSchema): Record<string, unknown> {
    const properties = Object.entries((schema.properties ?? {}) as Record<string, JsonSchema>)
    const required = (schema.required ?? []) as string[]
    const chosen = properties.filter(([name]) => required.includes(name) || this.#random.chance(0.4))
    // Several objects have only optional fields, but need one of them.
    if (chosen.length === 0 && properties.length > 0) chosen.push(this.#random.pick(properties))
    const value = Object.fromEntries(chosen.map(([name, field]) => [name, this.#value(name, field)]))
    this.#fit(value)
    return value
  }

  #value(name: string, schema: JsonSchema): unknown {
    const random = this.#random
    const [type, ...others] = [schema.type].flat() as string[]
    if (others.includes('null') && random.chance(0.15)) return null
    const known = this.known(name)
    if (known !== undefined) return known
    if (Array.isArray(schema.oneOf)) return this.#value(name, random.pick(schema.oneOf as JsonSchema[]))
    if (Array.isArray(schema.enum)) return random.pick(schema.enum.filter((each) => each !== null))
    if (schema.format === 'email')
      return random.chance(0.3)
        ? random.pick(this.#dictionary.emails)
        : `guest${random.below(1e6)}@example.org`
    if (schema.format === 'date-time') return new Date(this.#dictionary.nowMs).toISOString()
    if (schema.format === 'date') return formatDate(this.#dictionary.nowMs + random.between(1, 300) * DAY_MS)
    if (name === 'url') return 'https://receiver.example/berth'
    if (/timezone$/.test(name)) return random.pick(TIME_ZONES)
    if (type === 'null') return null
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'number') return random.between(0.001, Number(schema.maximum))
    if (type === 'integer') return this.#integer(schema)
    if (type === 'object') return this.fields(schema)
    if (type === 'array') {
      const length = random.chance(0.1) ? 0 : 1 + random.below(3)
      // The name of a list of ids, such as `user_ids`, says what it needs.
      return Array.from({ length }, () => this.#value(name.replace(/s$/, ''), schema.items as JsonSchema))
    }
    return this.#text(name, Number(schema.maxLength ?? 255))
  }

  #text(name: string, maxLength: number): string {
    const random = this.#random
    // No other text is as short as a time of day.
    if (maxLength === 5) return random.pick(['00:00', '08:30', '23:59'])
    // As a text, and not a list, it is a field of the query.
    if (name === 'types') return 'booking,event'
    const word = random.pick(WORDS).repeat(1 + random.below(3))
    // Names are unique.
    return (/^(name|upn)$/.test(name) ? `${random.below(1e6)} ${word}` : word).slice(0, maxLength)
  }

  #integer({ minimum = 0, maximum }: JsonSchema): number {
    const from = Number(minimum)
    return from + this.#random.below(Number(maximum ?? from + 20) - from + 1)
  }

  /** Returns an existing id if the field needs one. */
  known(name: string): number | undefined {
    const { buildings, locations, bookables, users, groups, vehicles } = this.#dictionary
    const random = this.#random
    if (name === 'building_id') return random.pick(buildings)
    if (name === 'location_id') return random.pick(locations)
    if (name === 'bookable_id') return random.pick(bookables).id
    if (name === 'group_id') return random.pick(groups)
    if (/(^|_)user_id$/.test(name)) return random.pick(users)
    if (name === 'user_vehicle_id') return random.pick(vehicles).id
    return undefined
  }

  /** Adjusts values that are valid only in combination. */
  #fit(value: Record<string, unknown>): void {
    const random = this.#random
    const { nowMs, bookables, vehicles } = this.#dictionary
    const fromMs = nowMs + random.between(-3, 300) * DAY_MS
    const lengthMs = random.between(0.01, 'from' in value ? 7 : 0.5) * DAY_MS
    const [from, to] = [new Date(fromMs).toISOString(), new Date(fromMs + lengthMs).toISOString()]
    if (isDate(value.from) || isDate(value.to))
      Object.assign(value, { from: formatDate(fromMs), to: formatDate(fromMs + lengthMs) })
    else if (isTimeOfDay(value.to)) Object.assign(value, { from: '08:30', to: '18:00' })
    else if ('to' in value) Object.assign(value, { from, to })
    if ('to_time' in value || 'from_time' in value) {
      value.to_time = to
      if ('from_time' in value ? value.from_time !== null : random.chance(0.8)) value.from_time = from
    }
    if ('bookable_id' in value && 'location_id' in value && 'user_id' in value) {
      const bookable = random.pick(bookables)
      Object.assign(value, { bookable_id: bookable.id, location_id: bookable.location_id })
      const { id, user_id } = random.pick(vehicles)
      if (bookable.type === 1) Object.assign(value, { user_vehicle_id: id, user_id })
      else delete value.user_vehicle_id
      // A request for a room may become an event; other requests may not.
      if (bookable.type !== 2) for (const name of ['title', 'attendees']) delete value[name]
    }
    if ('every' in value) this.#fitRepeat(value)
    for (const name of ['cursor', 'after']) delete value[name]
    if (['user', 'visitor', 'bookable'].includes(String(value.type))) this.#fitAttendee(value)
  }

  /** A repeat ends either after a number of bookings, or on a day after all that `#fit` chooses. */
  #fitRepeat(value: Record<string, unknown>): void {
    const random = this.#random
    delete value.count
    delete value.until
    if (value.every !== 'week') delete value.on
    if (random.chance(0.5)) value.count = 1 + random.below(10)
    else value.until = formatDate(this.#dictionary.nowMs + random.between(310, 360) * DAY_MS)
  }

  #fitAttendee(value: Record<string, unknown>): void {
    const random = this.#random
    const { users, roomEmails } = this.#dictionary
    delete value.id
    if (value.type === 'user') value.id = random.chance(0.5) ? random.pick(users) : String(random.pick(users))
    if (value.type === 'bookable') value.email = random.pick(roomEmails)
    if (value.type === 'user') delete value.email
    if (value.type === 'visitor') value.email = `visitor${random.below(1_000)}@example.org`
  }
}
