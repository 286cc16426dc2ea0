// The metrics of mail, offers, holds and screens, shown by workers of `upkeep`, which send the mails and let offers and requests lapse.
import type { Knex } from 'knex'
import type { Registry } from 'prom-client'
import * as figures from '../../shared/mail/mail-figures.ts'
import { addGauge, loadPromClient } from '../../shared/metrics/registry.ts'
import { MAIL_OUTCOMES, type MailObserver } from '../pollers/mail/mail-outcomes.ts'

/** `isTellingPeople`: whether this process mails people about offers. */
export function showMail(
  registry: Registry,
  database: Knex,
  { isTellingPeople }: { isTellingPeople: boolean },
): MailObserver {
  showGauges(registry, database)
  if (isTellingPeople) showTold(registry, database)
  const { Counter } = loadPromClient()
  const mails = new Counter({
    name: 'berth_mails_total',
    help: 'Mails by outcome: sent, unanswered by the server, postponed, given-up, or dropped as pointless.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // Starts at 0: a counter that first appears with a failure shows no increase.
  for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0)
  return {
    count: (outcome, number) => mails.inc({ outcome }, number),
    showServer(isUp) {
      const help = 'Whether the mail server has taken the last mail that this process has tried to send.'
      addGauge(registry, { name: 'berth_mail_server_up', help, aggregator: 'min' }, (gauge) =>
        gauge.set(isUp() ? 1 : 0),
      )
    },
  }
}

/** Nothing is shown while Postgres is down. */
const ask = (database: Knex, sql: string): Promise<number | undefined> =>
  database.raw<{ rows: Array<{ value: number }> }>(`SELECT coalesce((${sql}), 0)::float8 AS value`).then(
    ({ rows }) => rows[0]?.value,
    () => undefined,
  )

function add(registry: Registry, database: Knex, name: string, help: string, sql: string) {
  addGauge(registry, { name, help, aggregator: 'max' }, async (gauge) => {
    const value = await ask(database, sql)
    if (value === undefined) gauge.remove()
    else gauge.set(value)
  })
}

// Totals of all processes, so each reports the same values.
function showGauges(registry: Registry, database: Knex) {
  const oldest = {
    name: 'berth_mail_oldest_due_seconds',
    help: 'For how long the time of the oldest mail has come, by turn: expiring, awaited or news.',
    labelNames: ['turn'],
    aggregator: 'max' as const,
  }
  addGauge(registry, oldest, async (gauge) => {
    for (const [turn, name] of figures.MAIL_TURNS.entries()) {
      const value = await ask(database, figures.oldestDueMail(turn))
      if (value !== undefined) gauge.set({ turn: name }, value)
    }
  })
  const shown: Array<[name: string, help: string, sql: string]> = [
    ['berth_mails_due', 'Mails whose time has come, 100000 at most.', figures.MAILS_DUE],
    [
      'berth_holds_overdue_seconds',
      'For how long an offer or a request should have lapsed.',
      figures.HOLDS_OVERDUE,
    ],
    [
      'berth_screens_silent',
      'Screens that have stopped asking while their building works: Monday to Friday, 8 to 18.',
      figures.SCREENS_SILENT,
    ],
  ]
  for (const [name, help, sql] of shown) add(registry, database, name, help, sql)
}

function showTold(registry: Registry, database: Knex) {
  add(
    registry,
    database,
    'berth_mail_changes_age_seconds',
    'For how long the first change has been waiting to become mails.',
    figures.MAIL_CHANGES_AGE,
  )
  add(
    registry,
    database,
    'berth_offers_untold',
    'Offers of the waitlist that people who want mails about them got no mail about.',
    figures.OFFERS_UNTOLD,
  )
}
