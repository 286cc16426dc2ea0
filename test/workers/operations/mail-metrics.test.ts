// Tests the metrics of mail, offers, holds and screens that the alerts use.
import { expect } from 'chai'
import { HOLDS_OVERDUE_SQL } from '../../../shared/mail/mail-figures.ts'
import { createBookable, createDesk, hoursFromNow } from '../../support/factories.ts'
import { type Metric, parseMetrics } from '../../support/figures.ts'
import { eventually } from '../../support/time.ts'
import { useWorld } from '../../support/world.ts'
import { createMailSettings } from '../pollers/mail/mailed-person.ts'
import { useSmtp } from '../pollers/mail/smtp-server.ts'

describe('the metrics of a worker that sends mail', () => {
  const lines: string[] = []
  const smtp = useSmtp()
  const world = useWorld(() => ({
    workers: ['upkeep'],
    environment: { METRICS_PORT: '0', ...createMailSettings(smtp) },
    onLog: (line) => void lines.push(line),
  }))
  const read = async (): Promise<Metric[]> => {
    const port = await eventually(
      () => /"metricsPort":(\d+)/.exec(lines.join(''))?.[1] ?? expect.fail('None'),
    )
    return parseMetrics(await (await fetch(`http://127.0.0.1:${port}/metrics`)).text())
  }
  const shown = async (name: string, labels: Record<string, string> = {}) =>
    (await read()).find(
      (figure) =>
        figure.name === name &&
        Object.entries(labels).every(([label, value]) => figure.labels[label] === value),
    )?.value
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000)
  afterEach(() => {
    smtp.refusing = undefined
  })

  it('count mails by outcome, and show whether the mail server accepts mails', async () => {
    const before = (await shown('berth_mails_total', { outcome: 'sent' })) ?? 0
    const { user_id } = await createDesk(world.database)
    await world.database('mails').insert({ kind: 'sign-in', user_id })
    await eventually(async () =>
      expect(await shown('berth_mails_total', { outcome: 'sent' })).to.equal(before + 1),
    )
    expect(await shown('berth_mail_server_up')).to.equal(1)
    smtp.refusing = 421
    await world.database('mails').insert({ kind: 'sign-in', user_id })
    await eventually(async () => expect(await shown('berth_mail_server_up')).to.equal(0))
    const late = { kind: 'sign-in', user_id, next_at: minutesAgo(10) }
    await world.database('mails').insert(late)
    const oldest = () => shown('berth_mail_oldest_due_seconds', { turn: 'expiring' })
    await eventually(async () => expect(await oldest()).to.be.greaterThan(500))
    smtp.refusing = undefined
    await eventually(async () => expect(await shown('berth_mail_server_up')).to.equal(1))
    await eventually(async () => expect(await oldest()).to.equal(0))
  })

  it('show offers that were not mailed, and requests that should have lapsed', async () => {
    const { user_id, bookable_id } = await createDesk(world.database)
    expect(await shown('berth_offers_untold')).to.equal(0)
    const during = world.database.raw('tstzrange(?, ?)', [hoursFromNow(24), hoursFromNow(25)])
    const decided_at = minutesAgo(1)
    const hold = { bookable_id, user_id, during, created_at: minutesAgo(16), expires_at: minutesAgo(1) }
    await world.database('holds').insert({ ...hold, kind: 'offer', state: 'lapsed', decided_at })
    expect(await shown('berth_offers_untold')).to.equal(1)
    await world.database.transaction(async (trx) => {
      // The test reads the metric before the worker lets the request lapse.
      await trx('holds').insert({ ...hold, kind: 'request' })
      const { rows } = await trx.raw(`SELECT (${HOLDS_OVERDUE_SQL}) AS seconds`)
      expect(rows[0].seconds).to.be.greaterThan(50)
    })
    await eventually(async () => expect(await shown('berth_holds_overdue_seconds')).to.equal(0))
  })

  it('show screens that go silent during working hours, but not those that are switched off', async () => {
    const bookable_id = await createBookable(world.database)
    const screen = {
      kind: 'door',
      name: 'Door',
      bookable_id,
      names: 'full',
      appearance: 'light',
      language: 'en',
    }
    const insert = (hash: string, more: object) =>
      world.database('screens').insert({ ...screen, hash: Buffer.from(hash), ...more })
    await insert('on', { last_seen_at: minutesAgo(1) })
    await insert('new', { last_seen_at: null })
    await insert('off', { last_seen_at: minutesAgo(60), revoked_at: minutesAgo(50) })
    await insert('silent', { last_seen_at: minutesAgo(60) })
    // Some time zone has working hours now, unless it is the weekend everywhere.
    const { rows } = await world.database.raw(
      `SELECT name FROM pg_timezone_names WHERE extract(isodow FROM now() AT TIME ZONE name) < 6
         AND extract(hour FROM now() AT TIME ZONE name) BETWEEN 8 AND 17 ORDER BY name LIMIT 1`,
    )
    const isWorkday = rows.length > 0
    if (isWorkday) await world.database('buildings').update({ timezone: rows[0].name })
    expect(await shown('berth_screens_silent')).to.equal(isWorkday ? 1 : 0)
  })
})
