// The scenarios: requests, concurrency, rivals to compare with, and goals.
import type { Asked } from '../load/work.ts'
import type { Company } from '../stage/company.ts'
import type { Target } from '../stage/targets.ts'

/** By the name of the other target, and p50 and p99 in milliseconds. */
export type Goals = {
  /** The rate is at least this share of the other's. */
  rate?: Record<string, number>
  /** CPU per answer is at most this multiple of the other's. */
  cpu?: Record<string, number>
  /** The median is at most this multiple of the other's. */
  p50?: Record<string, number>
  p50Ms?: number
  p99Ms?: number
  /** The least number of answers per second. */
  perSecond?: number
}

export type Scenario = {
  name: string
  connections: number
  /** The names of the targets to compare with. */
  rivals: readonly string[]
  goals: Goals
  /** The requests of one load, sent in turn. */
  requests(target: Target): Asked[] | Promise<Asked[]>
  /** The load ends when each request has been sent once. */
  once?: boolean
  /** The rate at which they become due. */
  perSecond?: number
  /** Every request creates the next booking. */
  books?: boolean
  /** Statuses besides 2xx that do not count as failures. */
  expected?: readonly string[]
  withWrk?: boolean
  /** Multiplies the duration of a load. */
  lasts?: number
}

const API = '/api/v1'

export const gets = (paths: string[]): Asked[] => paths.map((path) => ({ method: 'GET', path }))

export const reading = (
  name: string,
  connections: number,
  goals: Goals,
  paths: (company: Company) => string[],
): Scenario => ({
  name: `${name}, ${connections} at a time`,
  connections,
  rivals: ['bare', 'knex'],
  goals,
  requests: ({ company }) => gets(paths(company)),
  withWrk: true,
})

export const booking = (connections: number, goals: Goals, lasts = 1): Scenario => ({
  name: `POST bookings, ${connections} at a time`,
  connections,
  rivals: ['bare', 'direct'],
  goals,
  requests: () => [],
  books: true,
  lasts,
})

const pointRead = (connections: number) =>
  reading('GET users/{id}', connections, { rate: { bare: 0.8 }, cpu: { bare: 1.25 } }, ({ users }) =>
    users.map((id) => `${API}/users/${id}`),
  )

export const OCCUPANCY: Scenario = {
  ...reading('GET …/occupancy, 200 with details', 8, { rate: { bare: 0.9 }, p50Ms: 9 }, ({ location }) => [
    `${API}/locations/${location}/bookables/occupancy?details=true`,
  ]),
  rivals: ['bare'],
}

export const WEEK = reading('GET locations/{id}/bookings, a week', 8, { rate: { knex: 2 } }, (company) => [
  `${API}/locations/${company.location}/bookings?${weekOf(company)}`,
])

/** For counts and tests, which need only one of each. */
export const FEW_READS: readonly Scenario[] = [pointRead(32), WEEK, OCCUPANCY]

export const READS: readonly Scenario[] = [
  pointRead(1),
  pointRead(32),
  // What the load generator does to the figure.
  { ...pointRead(32), name: 'the same, sent by our own load generator', goals: {}, withWrk: false },
  WEEK,
  // It is streamed, and a token gets two streams of a gateway at a time.
  reading('GET buildings/{id}/bookings, a week', 2, { rate: { knex: 2 } }, (company) => [
    `${API}/buildings/${company.building}/bookings?${weekOf(company)}`,
  ]),
  // No listing of bookings is longer than a week.
  reading('GET users/{id}/bookings, a week', 8, { rate: { knex: 2 } }, ({ users, ...company }) =>
    users.map((id) => `${API}/users/${id}/bookings?${weekOf(company)}`),
  ),
  OCCUPANCY,
]

export const BOOKINGS: readonly Scenario[] = [
  booking(1, { rate: { bare: 0.3 } }),
  booking(32, { rate: { bare: 0.8 }, cpu: { bare: 1.5 } }),
  // Longer, because otherwise waiting callers would be most of the result.
  booking(128, { rate: { bare: 1.2 }, cpu: { bare: 1 } }, 2),
]

const weekOf = ({ from, to }: Pick<Company, 'from' | 'to'>) => `from=${from}&to=${to}`
