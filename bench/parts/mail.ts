// A queue of 3,000 confirmations that one worker sends: its rate, its CPU time per mail, and how soon mails about offers leave meanwhile.
import { setTimeout as sleep } from 'node:timers/promises'
import type { Knex } from 'knex'
import { connectDatabase } from '../../shared/database/database.ts'
import { type Goal, noteFigure } from '../figures.ts'
import { printTable } from '../measure.ts'
import type { Runner } from '../runner.ts'
import { type Company, createCompany } from '../stage/company.ts'
import { queueConfirmations, waitForPlaces } from '../stage/mail-queue.ts'
import { type MailServer, startMailServer } from '../stage/mail-server.ts'
import { cpuUsOf } from '../stage/process-table.ts'
import { builtFile, type Script, startScript, waitUntil } from '../stage/scripts.ts'
import { createDatabase, redisUrlOf, type Servers } from '../stage/servers.ts'

const MAILS = 3_000
const WARM_MAILS = 300
const SEEDED = 20_000
// The Redis database of the worker.
const REDIS_NUMBER = 12
// Time for the worker to finish its upkeep of a new database.
const SETTLE_MS = 15_000
const OFFERS = 5

type Stage = { database: Knex; company: Company; smtp: MailServer; worker: Script; postgresPid: number }

export async function measureMail(runner: Runner, servers: Servers): Promise<void> {
  const databaseUrl = await createDatabase(servers, 'berth_mail')
  const database = connectDatabase(databaseUrl, { connectionsMax: 1 })
  const company = await createCompany(database, SEEDED)
  await database.raw('VACUUM (ANALYZE)')
  const smtp = await startMailServer(servers.directory)
  const worker = startScript({
    name: 'mail-worker',
    file: builtFile('workers/main.js'),
    parameters: ['upkeep'],
    environment: {
      DATABASE_URL: databaseUrl,
      REDIS_URL: redisUrlOf(servers, REDIS_NUMBER),
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
    report(runner, await measure({ database, company, smtp, worker, postgresPid: servers.postgresPid }))
  } finally {
    await worker.stop()
    await smtp.stop()
    await database.destroy()
  }
}

type Figures = Array<[what: string, value: number, goal?: Goal]>

async function measure(stage: Stage): Promise<Figures> {
  const { database, smtp, worker, postgresPid } = stage
  await queueConfirmations(stage, { bookable: 0, number: WARM_MAILS })
  await smtp.waitFor(WARM_MAILS)
  await sleep(SETTLE_MS)

  const pids = [worker.pid, postgresPid]
  const used = pids.map((pid) => cpuUsOf([pid]))
  await queueConfirmations(stage, { bookable: 1, number: MAILS })
  const sent = (await smtp.waitFor(WARM_MAILS + MAILS)).slice(WARM_MAILS)
  const [cpuMs = 0, postgresMs = 0] = pids.map((pid, index) => (cpuUsOf([pid]) - (used[index] ?? 0)) / 1_000)
  const seconds = ((sent.at(-1)?.atMs ?? 0) - (sent[0]?.atMs ?? 0)) / 1_000

  await queueConfirmations(stage, { bookable: 2, number: MAILS })
  await smtp.waitFor(WARM_MAILS + MAILS + 1)
  await waitForPlaces(stage, OFFERS)
  const all = await smtp.waitFor(WARM_MAILS + 2 * MAILS + OFFERS)
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
    [`${MAILS} confirmations by one worker, mails a second`, MAILS / seconds, { least: 100 }],
    ['… CPU of the worker a mail, ms', cpuMs / MAILS],
    ['… CPU of Postgres a mail, ms', postgresMs / MAILS],
    [`the slowest of ${OFFERS} mails of offers beside them, s`, slowest, { most: 5 }],
    ['… confirmations that leave after all of these', all.length - 1 - last],
  ]
}

function report(runner: Runner, figures: Figures): void {
  printTable(
    ['mail', 'measured', 'goal'],
    figures.map(([what, value, goal]) => [
      what,
      value.toFixed(value < 10 ? 2 : 0),
      goal ? noteFigure(runner, what, value, goal) : '',
    ]),
  )
}
