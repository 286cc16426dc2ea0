// The scenarios: requests, concurrency, rivals to compare with, and goals.
import { BOOKINGS_PATH } from '../load/bookings.ts'
import type { Company } from '../stage/company.ts'
import type { RivalName } from '../stage/targets.ts'

/** Rates at least this share of a rival's; CPU at most this multiple of a rival's. */
type Goals = { rate?: Partial<Record<RivalName, number>>; cpu?: Partial<Record<RivalName, number>> }

export type Scenario = {
  name: string
  connections: number
  rivals: RivalName[]
  goals: Goals
  paths(company: Company): string[]
  books: boolean
  /** Multiplies the duration of a load. */
  lasts?: number
}

const API = '/api/v1'

export const booking = (connections: number, goals: Goals, lasts = 1): Scenario => ({
  name: `POST bookings, ${connections} at a time`,
  connections,
  rivals: ['bare', 'direct'],
  goals,
  paths: () => [BOOKINGS_PATH],
  books: true,
  lasts,
})

export const READS: Scenario[] = [
  {
    name: 'GET users/{id}, 32 at a time',
    connections: 32,
    rivals: ['bare', 'knex'],
    goals: { rate: { bare: 0.7, knex: 1.1 } },
    paths: ({ users }) => users.map((id) => `${API}/users/${id}`),
    books: false,
  },
  {
    name: 'GET locations/{id}/bookings, a week, 8 at a time',
    connections: 8,
    rivals: ['bare', 'knex'],
    goals: { rate: { knex: 1.5 } },
    paths: ({ location, from, to }) => [`${API}/locations/${location}/bookings?from=${from}&to=${to}`],
    books: false,
  },
  {
    name: 'GET …/bookables/occupancy, 200 with details, 8 at a time',
    connections: 8,
    rivals: ['bare'],
    goals: { rate: { bare: 0.9 } },
    paths: ({ location }) => [`${API}/locations/${location}/bookables/occupancy?details=true`],
    books: false,
  },
]

export const BOOKINGS: Scenario[] = [
  booking(1, { rate: { bare: 0.35 } }),
  booking(32, { rate: { bare: 1 }, cpu: { bare: 2 } }),
  // Longer, because otherwise waiting callers would be most of the result.
  booking(128, { rate: { bare: 1.5 }, cpu: { bare: 1.2 } }, 2),
]
