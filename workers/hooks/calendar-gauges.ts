// The figures of room calendars in the metrics of the process `hooks`. They are totals of all processes, so every process
// reports the same values. They are missing while Postgres is down.
import type { Knex } from 'knex'
import type { Registry } from 'prom-client'
import { addGauge } from '../../shared/metrics/registry.ts'
import { IS_IN_STEP_SQL } from '../../shared/room-calendars/room-calendars-shape.ts'

/** `linking`: the calendar was linked less than ten minutes ago, and was never in step yet. */
const STATES = ['in_step', 'linking', 'not_in_step'] as const

const STATES_SQL = `SELECT CASE WHEN ${IS_IN_STEP_SQL} THEN 'in_step'
    WHEN in_step_at IS NULL AND fault_kind IS NULL AND linked_at > now() - interval '10 minutes' THEN 'linking'
    ELSE 'not_in_step' END AS label, count(*)::int AS count
  FROM room_calendars WHERE NOT is_ending GROUP BY 1`

const FAULTS_SQL = `SELECT fault_kind AS label, count(*)::int AS count FROM (
    SELECT fault_kind FROM room_calendars WHERE NOT is_ending
    UNION ALL SELECT fault_kind FROM calendar_providers WHERE seen_at > now() - interval '5 minutes') AS faults
  WHERE fault_kind IS NOT NULL GROUP BY 1`

const LOST_WATCHES_SQL = `SELECT 'lost' AS label, count(*)::int AS count FROM room_calendars
  WHERE NOT is_ending AND watch IS NOT NULL AND watch_ends_at < now()`

const CONFLICTS_SQL = `SELECT 'conflicts' AS label, count(*)::int AS count FROM calendar_entries
  WHERE conflict IS NOT NULL AND upper(during) > now()`

type LabelledCount = { label: string; count: number }

export function addCalendarGauges(registry: Registry, database: Knex): void {
  const ask = (sql: string): Promise<LabelledCount[] | undefined> =>
    database.raw<{ rows: LabelledCount[] }>(sql).then(
      ({ rows }) => rows,
      () => undefined,
    )
  const aggregator = 'max' as const
  const states = 'Calendars of rooms by state: in_step, linking or not_in_step.'
  addGauge(
    registry,
    { name: 'berth_room_calendars', help: states, labelNames: ['state'], aggregator },
    async (gauge) => {
      const rows = await ask(STATES_SQL)
      gauge.reset()
      if (!rows) return
      for (const state of STATES) gauge.set({ state }, 0)
      for (const { label, count } of rows) gauge.set({ state: label }, count)
    },
  )
  const faults = 'Calendars of rooms, and providers, with a fault, by its kind.'
  addGauge(
    registry,
    { name: 'berth_room_calendar_faults', help: faults, labelNames: ['kind'], aggregator },
    async (gauge) => {
      const rows = await ask(FAULTS_SQL)
      gauge.reset()
      if (!rows) return
      gauge.set({ kind: 'credentials_refused' }, 0)
      for (const { label, count } of rows) gauge.set({ kind: label }, count)
    },
  )
  const addCount = (name: string, help: string, sql: string) =>
    addGauge(registry, { name, help, aggregator }, async (gauge) => {
      const [row] = (await ask(sql)) ?? []
      if (row) gauge.set(row.count)
      else gauge.remove()
    })
  addCount(
    'berth_room_calendar_watches_lost',
    'Calendars whose notifications have ended, and could not be asked for again.',
    LOST_WATCHES_SQL,
  )
  addCount(
    'berth_room_calendar_conflicts',
    'Meetings of calendars whose time Berth does not hold.',
    CONFLICTS_SQL,
  )
}
