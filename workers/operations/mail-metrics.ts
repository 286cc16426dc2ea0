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
  if (isTellingPeople) showMailsToPeople(registry, database)
  const { Counter } = loadPromClient()
  const mails = new Counter({
    name: 'berth_mails_total',
    help: 'Mails by outcome: sent, unanswered by the server, postponed, given-up, or dropped as outdated.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // Starts at 0: a counter that first appears with a failure shows no increase.
  for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0)
  return {
    count: (outcome, number) => mails.inc({ outcome }, number),
    showServer(isUp) {
      const help = 'Whether the mail server took the last mail that this process tried to send.'
      addGauge(registry, { name: 'berth_mail_server_up', help, aggregator: 'min' }, (gauge) =>
        gauge.set(isUp() ? 1 : 0),
      )
    },
  }
}

/** Returns undefined while Postgres is down. */
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
    help: 'How long the oldest mail has been due, by turn: expiring, awaited or news.',
    labelNames: ['turn'],
    aggregator: 'max' as const,
  }
  addGauge(registry, oldest, async (gauge) => {
    for (const [turn, name] of figures.MAIL_TURNS.entries()) {
      const value = await ask(database, figures.oldestDueMail(turn))
      if (value === undefined) gauge.remove({ turn: name })
      else gauge.set({ turn: name }, value)
    }
  })
  const shown: Array<[name: string, help: string, sql: string]> = [
    ['berth_mails_due', 'Mails that are due, at most 100000.', figures.MAILS_DUE],
    [
      'berth_holds_overdue_seconds',
      'How long an offer or a request has been overdue to lapse.',
      figures.HOLDS_OVERDUE,
    ],
    [
      'berth_screens_silent',
      'Screens that are silent during working hours of their building: Monday to Friday, 8 to 18.',
      figures.SCREENS_SILENT,
    ],
  ]
  for (const [name, help, sql] of shown) add(registry, database, name, help, sql)
}

function showMailsToPeople(registry: Registry, database: Knex) {
  add(
    registry,
    database,
    'berth_mail_changes_age_seconds',
    'How long the oldest change has waited to become mails.',
    figures.MAIL_CHANGES_AGE,
  )
  add(
    registry,
    database,
    'berth_offers_untold',
    'Waitlist offers that were not mailed to people who want mails about them.',
    figures.OFFERS_UNTOLD,
  )
}
