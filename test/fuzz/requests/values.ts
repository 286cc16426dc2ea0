// Creates valid values: by the OpenAPI schema, or by the name of a field that needs an existing value.
import type { JsonSchema } from '../../../gateway/api/openapi/json-schema.ts'
import type { Random } from '../../harness/random.ts'
import type { Dictionary } from './dictionary.ts'

const DAY_MS = 86_400_000
const TIME_ZONES = ['UTC', 'Europe/Berlin', 'America/St_Johns', 'asia/kathmandu']
const formatDate = (ms: number) => new Date(ms).toISOString().slice(0, 10)
const isDate = (value: unknown) => typeof value === 'string' && /^\d{4}-\d\d-\d\d$/.test(value)
const WORDS = ['Anna', 'Zoë', '会議室', 'a b', 'Team-Raum <1>', 'O’Neill & Co', '😀']

export class ValidValues {
  readonly #random: Random
  readonly #dictionary: Dictionary
  // All ids in one path come from the same resource, such as a vehicle, so that the path exists.
  readonly #vehicle: Dictionary['vehicles'][number]
  readonly #webhook: Dictionary['webhooks'][number]
  readonly #absence: Dictionary['absences'][number]
  readonly #loan: Dictionary['loans'][number]
  readonly #teamDay: Dictionary['teamDays'][number]

  constructor(random: Random, dictionary: Dictionary) {
    this.#random = random
    this.#dictionary = dictionary
    this.#vehicle = random.pick(dictionary.vehicles)
    this.#webhook = random.pick(dictionary.webhooks)
    this.#absence = random.pick(dictionary.absences)
    this.#loan = random.pick(dictionary.loans)
    this.#teamDay = random.pick(dictionary.teamDays)
  }

  /** `template` is the path of the operation, which tells what kind of `id` it needs. */
  path(name: string, template: string): string {
    const { bookings, events, jobs, emails, groups } = this.#dictionary
    const random = this.#random
    if (template.includes('/vehicles/')) return String(this.#vehicle[name === 'id' ? 'id' : 'user_id'])
    if (template.includes('/webhooks/')) return String(this.#webhook[name === 'id' ? 'id' : 'delivery_id'])
    if (template.includes('/absences')) return String(this.#absence[name === 'user_id' ? 'user_id' : 'id'])
    if (template.includes('/loans')) return String(this.#loan[name === 'bookable_id' ? 'bookable_id' : 'id'])
    if (template.includes('/team-days')) return String(this.#teamDay[name === 'group_id' ? 'group_id' : 'id'])
    if (template.includes('/groups/')) return String(random.pick(groups))
    if (name === 'user_email') return encodeURIComponent(random.pick(emails))
    if (name !== 'id') return String(this.#known(name))
    if (template.includes('/jobs/')) return random.pick(jobs)
    if (template.includes('/users/')) return String(this.#known('user_id'))
    if (template.includes('/bookables/')) return String(this.#known('bookable_id'))
    const first = template.includes('/events/') ? events : bookings
    // Resources that earlier requests created have the ids after the initial ones.
    return String(random.chance(0.5) ? random.pick(first) : (first.at(-1) ?? 0) + random.below(500))
  }

  /** Returns the fields of a query or body: all required fields, and some optional ones. */
  fields(schema: JsonSchema): Record<string, unknown> {
    const properties = (schema.properties ?? {}) as Record<string, JsonSchema>
    const required = (schema.required ?? []) as string[]
    const chosen = Object.entries(properties).filter(
      ([name]) => required.includes(name) || this.#random.chance(0.4),
    )
    const value = Object.fromEntries(chosen.map(([name, field]) => [name, this.#value(name, field)]))
    this.#fit(value)
    return value
  }

  #value(name: string, schema: JsonSchema): unknown {
    const random = this.#random
    const [type, ...others] = [schema.type].flat() as string[]
    if (others.includes('null') && random.chance(0.15)) return null
    const known = this.#known(name)
    if (known !== undefined) return known
    if (Array.isArray(schema.oneOf)) return this.#value(name, random.pick(schema.oneOf as JsonSchema[]))
    if (Array.isArray(schema.enum)) return random.pick(schema.enum.filter((each) => each !== null))
    if (schema.format === 'email')
      return random.chance(0.7) ? random.pick(this.#dictionary.emails) : 'guest@example.org'
    if (schema.format === 'date-time') return new Date(this.#dictionary.nowMs).toISOString()
    if (schema.format === 'date') return formatDate(this.#dictionary.nowMs + random.between(1, 300) * DAY_MS)
    if (name === 'url') return 'https://receiver.example/berth'
    if (/_timezone$/.test(name)) return random.pick(TIME_ZONES)
    if (type === 'boolean') return random.chance(0.5)
    if (type === 'integer') return this.#integer(schema)
    if (type === 'object') return this.fields(schema)
    if (type === 'array') {
      const items = schema.items as JsonSchema
      return Array.from({ length: random.below(4) }, () => this.#value('', items))
    }
    return random
      .pick(WORDS)
      .repeat(1 + random.below(3))
      .slice(0, Number(schema.maxLength ?? 255))
  }

  #integer({ minimum = 0, maximum }: JsonSchema): number {
    const from = Number(minimum)
    return from + this.#random.below(Number(maximum ?? from + 20) - from + 1)
  }

  #known(name: string): number | undefined {
    const { buildings, locations, bookables, users, vehicles } = this.#dictionary
    const random = this.#random
    if (name === 'building_id') return random.pick(buildings)
    if (name === 'location_id') return random.pick(locations)
    if (name === 'bookable_id') return random.pick(bookables).id
    if (name === 'user_id' || name === 'organizer_user_id') return random.pick(users)
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
    else if ('to' in value) Object.assign(value, { from, to })
    if ('to_time' in value) {
      value.to_time = to
      if ('from_time' in value ? value.from_time !== null : random.chance(0.8)) value.from_time = from
    }
    if ('bookable_id' in value && 'location_id' in value && 'user_id' in value) {
      const bookable = random.pick(bookables)
      Object.assign(value, { bookable_id: bookable.id, location_id: bookable.location_id })
      const { id, user_id } = random.pick(vehicles)
      if (bookable.type === 1) Object.assign(value, { user_vehicle_id: id, user_id })
      else delete value.user_vehicle_id
    }
    if ('cursor' in value) delete value.cursor
    if (['user', 'visitor', 'bookable'].includes(String(value.type))) this.#fitAttendee(value)
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
