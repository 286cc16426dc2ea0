// Checks everything that an installation needs, and suggests a remedy for each finding. Changes nothing.
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
import { checkNode, type ProcessCounts, readSettings } from './doctor/settings.ts'

const usage = `Looks at the settings, Postgres, Redis, the queues and mail, and says what to do. Changes nothing.

  npm run doctor -- [--web 1] [--worker 1] [--files 1] [--hooks 1] [--mail-to ada@example.com] [--json]

  --web, --worker, --files, --hooks  how many of these processes run, for the connections that they may take
  --mail-to                          also send a mail to this address; without it, doctor only connects to the mail server
  --json                             print one JSON value, for scripts (npm run --silent doctor -- … prints nothing else)

Exits with 1 where there is a problem; warnings alone are 0.`

const COUNT = { type: 'string', default: '1', min: 0, max: 10_000 } as const
const COUNTS = { web: COUNT, worker: COUNT, files: COUNT, hooks: COUNT }

await runCommand(usage, async (args) => {
  const options = {
    ...COUNTS,
    'mail-to': { type: 'string' },
    json: { type: 'boolean', default: false },
  } as const
  const { values } = parseArgs({ args, options })
  const counts = readNumbers(values, COUNTS)
  const addresses = findAddresses()
  const { config, findings: settings } = readSettings({ ...process.env, ...addresses })
  const isOfNpmStart = addresses.DATABASE_URL !== undefined && !process.env['DATABASE_URL']
  const mail = { mailTo: values['mail-to'], isOfNpmStart }
  const checked = config ? await checkServers(config, counts, mail) : []
  const findings = [...checkNode(), ...settings, ...checked]
  const isFine = findings.every(({ level }) => level !== 'problem')
  print(values.json ? JSON.stringify({ ok: isFine, findings }) : formatFindings(findings))
  if (!isFine) process.exitCode = 1
})

// Those of the running `npm start` if the environment has none; having none at all is a finding.
function findAddresses(): { DATABASE_URL?: string; REDIS_URL?: string } {
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
