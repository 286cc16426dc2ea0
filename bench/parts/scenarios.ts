// The benchmark's scenarios: requests, concurrency, rivals to compare with, and goals.
import type { LoadRequest } from '../load/work.ts'
import type { Company } from '../stage/company.ts'
import type { Target } from '../stage/targets.ts'

/**
 * The goals of a scenario. Goals relative to another target are keyed by that target's name. `p50Ms` and `p99Ms` are in
 * milliseconds.
 */
export type Goals = {
  /** For each rival, the minimum rate, as a multiple of the rival's rate. */
  rate?: Record<string, number>
  /** For each rival, the maximum CPU time per response, as a multiple of the rival's. */
  cpu?: Record<string, number>
  /** For each rival, the maximum median time, as a multiple of the rival's. */
  p50?: Record<string, number>
  p50Ms?: number
  p99Ms?: number
  /** The minimum number of responses per second. */
  perSecond?: number
}

export type Scenario = {
  name: string
  connections: number
  /** The names of the targets to compare Berth with. */
  rivals: readonly string[]
  goals: Goals
  /** The requests of one load, sent in turn. */
  requests(target: Target): LoadRequest[] | Promise<LoadRequest[]>
  /** Ends the load when each request has been sent once. */
  once?: boolean
  /** The rate at which the requests become due. */
  perSecond?: number
  /** Makes every request create another booking. */
  books?: boolean
  /** Statuses besides 2xx that do not count as failures. */
  expected?: readonly string[]
  withWrk?: boolean
  /** Multiplies the duration of the scenario's load. */
  lasts?: number
}

const API_PATH = '/api/v1'

export const getRequests = (paths: string[]): LoadRequest[] => paths.map((path) => ({ method: 'GET', path }))

export const createReadScenario = (
  name: string,
  connections: number,
  goals: Goals,
  paths: (company: Company) => string[],
): Scenario => ({
  name: `${name}, ${connections} at a time`,
  connections,
  rivals: ['bare', 'knex'],
  goals,
  requests: ({ company }) => getRequests(paths(company)),
  withWrk: true,
})

export const createBookingScenario = (connections: number, goals: Goals, lasts = 1): Scenario => ({
  name: `POST bookings, ${connections} at a time`,
  connections,
  rivals: ['bare', 'direct'],
  goals,
  requests: () => [],
  books: true,
  lasts,
})

const createPointReadScenario = (connections: number) =>
  createReadScenario(
    'GET users/{id}',
    connections,
    { rate: { bare: 0.8 }, cpu: { bare: 1.25 } },
    ({ users }) => users.map((id) => `${API_PATH}/users/${id}`),
  )

export const OCCUPANCY_SCENARIO: Scenario = {
  ...createReadScenario(
    'GET …/occupancy, 200 with details',
    8,
    { rate: { bare: 0.9 }, p50Ms: 9 },
    ({ location }) => [`${API_PATH}/locations/${location}/bookables/occupancy?details=true`],
  ),
  rivals: ['bare'],
}

export const WEEK_SCENARIO = createReadScenario(
  'GET locations/{id}/bookings, a week',
  8,
  { rate: { knex: 2 } },
  (company) => [`${API_PATH}/locations/${company.location}/bookings?${formatWeekQuery(company)}`],
)

/** Read scenarios for counts and tests, which need only one scenario of each kind. */
export const FEW_READ_SCENARIOS: readonly Scenario[] = [
  createPointReadScenario(32),
  WEEK_SCENARIO,
  OCCUPANCY_SCENARIO,
]

export const READ_SCENARIOS: readonly Scenario[] = [
  createPointReadScenario(1),
  createPointReadScenario(32),
  // Repeats the point reads with our own load generator, to show how the generator changes the figure.
  {
    ...createPointReadScenario(32),
    name: 'the same, sent by our own load generator',
    goals: {},
    withWrk: false,
  },
  WEEK_SCENARIO,
  // This listing is streamed, and a gateway streams at most two listings per token at a time.
  createReadScenario('GET buildings/{id}/bookings, a week', 2, { rate: { knex: 2 } }, (company) => [
    `${API_PATH}/buildings/${company.building}/bookings?${formatWeekQuery(company)}`,
  ]),
  // A listing of bookings covers at most a week.
  createReadScenario('GET users/{id}/bookings, a week', 8, { rate: { knex: 2 } }, ({ users, ...company }) =>
    users.map((id) => `${API_PATH}/users/${id}/bookings?${formatWeekQuery(company)}`),
  ),
  OCCUPANCY_SCENARIO,
]

export const BOOKING_SCENARIOS: readonly Scenario[] = [
  createBookingScenario(1, { rate: { bare: 0.3 } }),
  createBookingScenario(32, { rate: { bare: 0.8 }, cpu: { bare: 1.5 } }),
  // Lasts twice as long, so that the callers still waiting at the end have little effect on the result.
  createBookingScenario(128, { rate: { bare: 1.2 }, cpu: { bare: 1 } }, 2),
]

const formatWeekQuery = ({ from, to }: Pick<Company, 'from' | 'to'>) => `from=${from}&to=${to}`
