import { startLoader } from './load/load.ts'
import { measure, type Runner } from './measure-load.ts'
import { BOOKINGS } from './parts/scenarios.ts'
import { createCompany } from './stage/company.ts'
import { createDatabase, redisUrlOf, startServers } from './stage/servers.ts'
import { startBerth } from './stage/targets.ts'
import { connectDatabase } from '../shared/database.ts'
const servers = await startServers(); let t: any
try {
  const databaseUrl = await createDatabase(servers, 'berth_bench'); const database = connectDatabase(databaseUrl)
  const company = await createCompany(database, 50000); await database.destroy()
  const runner: Runner = { loader: await startLoader(), usesWrk: false, failures: new Map() }
  t = await startBerth({ servers, company, databaseUrl, redisUrl: redisUrlOf(servers, 0), name: 'prof', checkout: '/tmp/v/prof' })
  const s = BOOKINGS.find((b) => b.connections === Number(process.env.N ?? 128))!
  await measure(runner, t, s, { seconds: 4 })
  const all = [...t.pids.gateway, ...t.pids.worker]
  for (const pid of all) process.kill(pid, 'SIGUSR2')
  const m = await measure(runner, t, s, { seconds: 6 })
  for (const pid of all) process.kill(pid, 'SIGWINCH')
  console.log(m.perSecond, m.cpuUs)
  await new Promise((r) => setTimeout(r, 1500))
  await runner.loader.stop()
} finally { await t?.stop(); await servers.stop() }
process.exit(0)
