// Checks everything that an installation needs, and suggests a remedy for each finding. The doctor changes nothing.
import { parseArgs } from 'node:util'
import { findEnvironment } from '../local/tools/record.ts'
import { print } from '../local/tools/terminal.ts'
import type { Config } from '../shared/settings/config.ts'
import { readNumbers, runCommand } from './command.ts'
import { type Finding, formatFindings } from './doctor/findings.ts'
import { checkMailServer, type MailOptions } from './doctor/mail.ts'
import { checkPostgres } from './doctor/postgres.ts'
import { checkQueues } from './doctor/queues.ts'
import { checkRedis } from './doctor/redis.ts'
import { checkReplica } from './doctor/replica.ts'
import { checkNodeVersion, type ProcessCounts, readSettings } from './doctor/settings.ts'

const usage = `Checks the settings, Postgres, Redis, the queues, mail and calendar providers, and suggests remedies. Changes nothing.

  npm run doctor -- [--web 1] [--worker 1] [--files 1] [--hooks 1] [--mail-to ada@example.com] [--json]

  --web, --worker, --files, --hooks  how many of these processes run, for the connections that they may take
  --mail-to                          also send a mail to this address; without it, doctor only connects to the mail server
  --json                             print one JSON value, for scripts (npm run --silent doctor -- … prints nothing else)

Exits with 1 if there is a problem, and with 0 if there are only warnings.`

const COUNT_OPTION = { type: 'string', default: '1', min: 0, max: 10_000 } as const
const COUNT_OPTIONS = { web: COUNT_OPTION, worker: COUNT_OPTION, files: COUNT_OPTION, hooks: COUNT_OPTION }

await runCommand(usage, async (args) => {
  const options = {
    ...COUNT_OPTIONS,
    'mail-to': { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  const { values } = parseArgs({ args, options })
  const counts = readNumbers(values, COUNT_OPTIONS)
  const addresses = findServerUrls()
  const { config, findings: settings } = readSettings({ ...process.env, ...addresses })
  const isOfNpmStart = addresses.DATABASE_URL !== undefined && !process.env['DATABASE_URL']
  const mail = { mailTo: values['mail-to'], isOfNpmStart }
  const checked = config ? await checkServers(config, counts, mail) : []
  const findings = [...checkNodeVersion(), ...settings, ...checked]
  const isFine = findings.every(({ level }) => level !== 'problem')
  print(values.json ? JSON.stringify({ ok: isFine, findings }) : formatFindings(findings))
  if (!isFine) process.exitCode = 1
})

// Returns the server URLs from the environment, or else those of a running `npm start`. If there are none, the doctor
// reports it.
function findServerUrls(): { DATABASE_URL?: string; REDIS_URL?: string } {
  try {
    const { databaseUrl, redisUrl } = findEnvironment()
    return { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl }
  } catch {
    return {}
  }
}

async function checkServers(
  config: Config,
  counts: ProcessCounts,
  mailOptions: MailOptions,
): Promise<Finding[]> {
  const [postgres, replica, redis, mail] = await Promise.all([
    checkPostgres(config, counts),
    checkReplica(config, counts),
    checkRedis(config, () => checkQueues(config)),
    checkMailServer(config, mailOptions),
  ])
  return [...postgres, ...replica, ...redis, ...mail]
}
