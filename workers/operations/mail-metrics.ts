// The metrics of mails, offers, holds and screens. The workers of the queue `upkeep` expose them, because these workers
// send mails and let offers and requests lapse.
import type { Knex } from 'knex'
import type { Registry } from 'prom-client'
import * as figures from '../../shared/mail/mail-figures.ts'
import { addGauge, loadPromClient } from '../../shared/metrics/registry.ts'
import { ANSWER_OUTCOMES } from '../pollers/answers/answer-outcomes.ts'
import { MAIL_OUTCOMES, type MailObserver } from '../pollers/mail/mail-outcomes.ts'

/** Adds the metrics. `isTellingPeople` is true if this process sends mails about offers to people. */
export function addMailMetrics(
  registry: Registry,
  database: Knex,
  { isTellingPeople }: { isTellingPeople: boolean },
): MailObserver {
  addFigures(registry, database)
  if (isTellingPeople) addMailsToPeople(registry, database)
  const { Counter } = loadPromClient()
  const mails = new Counter({
    name: 'berth_mails_total',
    help: 'Mails by outcome: sent, unanswered by the server, postponed, given-up, or dropped as outdated.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  // Initializes the counter of each outcome to 0. Otherwise, a counter that first appears with a failure would show no
  // increase.
  for (const outcome of MAIL_OUTCOMES) mails.inc({ outcome }, 0)
  const answers = new Counter({
    name: 'berth_mail_answers_total',
    help: 'Mails in the mailbox for answers to invitations, by outcome. Only applied ones change anything.',
    labelNames: ['outcome'],
    registers: [registry],
  })
  return {
    countAnswer: (outcome) => answers.inc({ outcome }),
    showMailbox(isUp) {
      for (const outcome of Object.keys(ANSWER_OUTCOMES)) answers.inc({ outcome }, 0)
      const help = 'Whether this process could read the mailbox for answers when it last tried.'
      addGauge(registry, { name: 'berth_mail_answers_up', help, aggregator: 'min' }, (gauge) =>
        gauge.set(isUp() ? 1 : 0),
      )
    },
    count: (outcome, number) => mails.inc({ outcome }, number),
    showServer(isUp) {
      const help = 'Whether the mail server took the last mail that this process tried to send.'
      addGauge(registry, { name: 'berth_mail_server_up', help, aggregator: 'min' }, (gauge) =>
        gauge.set(isUp() ? 1 : 0),
      )
    },
  }
}

/** Queries a number. Returns undefined while Postgres is down. */
const queryNumber = (database: Knex, sql: string): Promise<number | undefined> =>
  database.raw<{ rows: Array<{ value: number }> }>(`SELECT coalesce((${sql}), 0)::float8 AS value`).then(
    ({ rows }) => rows[0]?.value,
    () => undefined,
  )

function addFigure(registry: Registry, database: Knex, name: string, help: string, sql: string) {
  addGauge(registry, { name, help, aggregator: 'max' }, async (gauge) => {
    const value = await queryNumber(database, sql)
    if (value === undefined) gauge.remove()
    else gauge.set(value)
  })
}

// Adds figures that are totals of all processes, so every process reports the same values.
function addFigures(registry: Registry, database: Knex) {
  const oldest = {
    name: 'berth_mail_oldest_due_seconds',
    help: 'How long the oldest mail has been due, by turn: expiring, awaited or news.',
    labelNames: ['turn'],
    aggregator: 'max' as const,
  }
  addGauge(registry, oldest, async (gauge) => {
    for (const [turn, name] of figures.MAIL_TURNS.entries()) {
      const value = await queryNumber(database, figures.oldestDueMailAgeSql(turn))
      if (value === undefined) gauge.remove({ turn: name })
      else gauge.set({ turn: name }, value)
    }
  })
  const shown: Array<[name: string, help: string, sql: string]> = [
    ['berth_mails_due', 'Mails that are due, at most 100000.', figures.MAILS_DUE_SQL],
    [
      'berth_holds_overdue_seconds',
      'How long an offer or a request has been overdue to lapse.',
      figures.HOLDS_OVERDUE_SQL,
    ],
    [
      'berth_screens_silent',
      'Screens that are silent during working hours of their building: Monday to Friday, 8 to 18.',
      figures.SCREENS_SILENT_SQL,
    ],
  ]
  for (const [name, help, sql] of shown) addFigure(registry, database, name, help, sql)
}

function addMailsToPeople(registry: Registry, database: Knex) {
  addFigure(
    registry,
    database,
    'berth_mail_changes_age_seconds',
    'How long the oldest change has waited to become mails.',
    figures.MAIL_CHANGES_AGE_SQL,
  )
  addFigure(
    registry,
    database,
    'berth_offers_untold',
    'Waitlist offers that were not mailed to people who want mails about them.',
    figures.OFFERS_NOT_MAILED_SQL,
  )
}
