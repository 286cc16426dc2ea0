import { startLoader } from './load/load.ts'
import { measure, type Runner } from './measure-load.ts'
import { BOOKINGS } from './parts/scenarios.ts'
import { createCompany } from './stage/company.ts'
import { createDatabase, redisUrlOf, startServers } from './stage/servers.ts'
import { startBerth } from './stage/targets.ts'
import { connectDatabase } from '../shared/database.ts'
import { monitorRedis } from '../test/support/redis-monitor.ts'
const servers = await startServers(); let t: any
try {
  const databaseUrl = await createDatabase(servers, 'berth_bench'); const database = connectDatabase(databaseUrl)
  const company = await createCompany(database, 50000); await database.destroy()
  const runner: Runner = { loader: await startLoader(), usesWrk: false, failures: new Map() }
  t = await startBerth({ servers, company, databaseUrl, redisUrl: redisUrlOf(servers, 0), name: 'prof', checkout: process.env.DIR })
  const s = BOOKINGS.find((b) => b.connections === Number(process.env.N ?? 1))!
  await measure(runner, t, s, { seconds: 2 })
  const counts = new Map<string, number>(); let lines: string[] = []
  const m = await monitorRedis(servers.redisUrl, (c) => { if (c.source === 'lua') return; const k = c.name + ' ' + c.text.slice(0, 60).replace(/^\S+ /, ''); counts.set(k, (counts.get(k) ?? 0) + 1); lines.push(Date.now() + ' ' + c.source + ' ' + c.text.slice(0, 130)) })
  lines = []; counts.clear()
  const r = await measure(runner, t, s, { seconds: 3, requestsMax: 100 })
  await new Promise((r) => setTimeout(r, 300)); m.stop()
  console.log(r.perSecond)
  for (const [k, n] of [...counts].sort((a, b) => b[1] - a[1]).slice(0, 14)) console.log(n, k)
  console.log(lines.slice(300, 340).join('\n'))
  await runner.loader.stop()
} finally { await t?.stop(); await servers.stop() }
process.exit(0)
