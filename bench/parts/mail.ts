// Measures how one worker sends a queue of 3,000 confirmations: the rate, the CPU time per mail, and how soon mails
// about offers leave meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connectDatabase } from '../../shared/database/database.ts'
import { type Goal, recordFigure } from '../figures.ts'
import { printTable } from '../measure.ts'
import type { Runner } from '../runner.ts'
import { type Company, createCompany } from '../stage/company.ts'
import { addToWaitlists, queueConfirmations } from '../stage/mail-queue.ts'
import { type MailServer, startMailServer } from '../stage/mail-server.ts'
import { measureCpuUs } from '../stage/process-table.ts'
import { getBuiltFile, type Script, startScript, waitUntil } from '../stage/scripts.ts'
import { createDatabase, getRedisUrl, type Servers } from '../stage/servers.ts'

const MAIL_COUNT = 3_000
const WARM_UP_MAIL_COUNT = 300
const SEEDED_BOOKING_COUNT = 20_000
// The number of the worker's Redis database.
const REDIS_NUMBER = 12
// How long to wait for the worker to finish its upkeep of a new database.
const SETTLE_MS = 15_000
const OFFER_COUNT = 5

type MailStage = { database: Knex; company: Company; smtp: MailServer; worker: Script; postgresPid: number }

export async function measureMail(runner: Runner, servers: Servers): Promise<void> {
  const databaseUrl = await createDatabase(servers, 'berth_mail')
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const company = await createCompany(database, SEEDED_BOOKING_COUNT)
  await database.raw('VACUUM (ANALYZE)')
  const smtp = await startMailServer(servers.directory)
  const worker = startScript({
    name: 'mail-worker',
    file: getBuiltFile('workers/main.js'),
    parameters: ['upkeep'],
    environment: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: getRedisUrl(servers, REDIS_NUMBER),
      LOG_LEVEL: 'info',
      PEOPLE_PAGES: 'on',
      PUBLIC_URL: 'http://desks.example.com',
      SMTP_URL: smtp.url,
      MAIL_FROM: 'Berth <berth@example.com>',
    },
    directory: servers.directory,
  })
  try {
    await waitUntil(worker, () => worker.log().includes('"msg":"working"'))
    recordFigures(
      runner,
      await measureMailQueue({ database, company, smtp, worker, postgresPid: servers.postgresPid }),
    )
  } finally {
    await worker.stop()
    await smtp.stop()
    await database.destroy()
  }
}

type MailFigures = Array<[what: string, value: number, goal?: Goal]>

async function measureMailQueue(stage: MailStage): Promise<MailFigures> {
  const { database, smtp, worker, postgresPid } = stage
  await queueConfirmations(stage, { bookable: 0, number: WARM_UP_MAIL_COUNT })
  await smtp.waitFor(WARM_UP_MAIL_COUNT)
  await sleep(SETTLE_MS)

  const pids = [worker.pid, postgresPid]
  const used = pids.map((pid) => measureCpuUs([pid]))
  await queueConfirmations(stage, { bookable: 1, number: MAIL_COUNT })
  const sent = (await smtp.waitFor(WARM_UP_MAIL_COUNT + MAIL_COUNT)).slice(WARM_UP_MAIL_COUNT)
  const [cpuMs = 0, postgresMs = 0] = pids.map(
    (pid, index) => (measureCpuUs([pid]) - (used[index] ?? 0)) / 1_000,
  )
  const seconds = ((sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0)) / 1_000

  await queueConfirmations(stage, { bookable: 2, number: MAIL_COUNT })
  await smtp.waitFor(WARM_UP_MAIL_COUNT + MAIL_COUNT + 1)
  await addToWaitlists(stage, OFFER_COUNT)
  const all = await smtp.waitFor(WARM_UP_MAIL_COUNT + 2 * MAIL_COUNT + OFFER_COUNT)
  const offers: Array<{ email: string; ms: number }> = await database('holds')
    .join('users', 'users.id', 'holds.user_id')
    .where({ kind: 'offer' })
    .select('email', database.raw('extract(epoch FROM holds.created_at)::float8 * 1000 AS ms'))
  const left = offers.map(({ email, ms }) => {
    const place = all.findIndex(({ to }) => to === email)
    return { place, seconds: ((all[place]?.atMs ?? Number.NaN) - ms) / 1_000 }
  })
  const slowest = Math.max(...left.map((each) => each.seconds))
  const last = Math.max(...left.map(({ place }) => place))
  return [
    [`${MAIL_COUNT} confirmations by one worker, mails a second`, MAIL_COUNT / seconds, { least: 100 }],
    ['… CPU of the worker a mail, ms', cpuMs / MAIL_COUNT],
    ['… CPU of Postgres a mail, ms', postgresMs / MAIL_COUNT],
    [`the slowest of ${OFFER_COUNT} mails of offers beside them, s`, slowest, { most: 5 }],
    ['… confirmations that leave after all of these', all.length - 1 - last],
  ]
}

function recordFigures(runner: Runner, figures: MailFigures): void {
  printTable(
    ['mail', 'measured', 'goal'],
    figures.map(([what, value, goal]) => [
      what,
      value.toFixed(value < 10 ? 2 : 0),
      goal ? recordFigure(runner, what, value, goal) : '',
    ]),
  )
}
