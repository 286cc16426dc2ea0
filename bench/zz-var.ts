// scratch: variants of Berth side by side
import { startLoader } from './load/load.ts'
import { alternateLoads, medianOf, ratioOf, type Runner } from './measure-load.ts'
import { BOOKINGS } from './parts/scenarios.ts'
import { createCompany } from './stage/company.ts'
import { createDatabase, redisUrlOf, startServers } from './stage/servers.ts'
import { startBerth, startRival } from './stage/targets.ts'
import { connectDatabase } from '../shared/database.ts'
const dirs = (process.env.DIRS ?? '').split(',').filter(Boolean)
const counts = (process.env.COUNTS ?? '1,32,128').split(',').map(Number)
const rounds = Number(process.env.ROUNDS ?? 3), seconds = Number(process.env.SECONDS ?? 2)
const servers = await startServers()
const targets: any[] = []
try {
  const databaseUrl = await createDatabase(servers, 'berth_bench')
  const database = connectDatabase(databaseUrl)
  const company = await createCompany(database, 50000)
  await database.destroy()
  const runner: Runner = { loader: await startLoader(), usesWrk: false, failures: new Map() }
  if (!process.env.NOBARE) targets.push(await startRival('bare', { servers, company, databaseUrl, name: 'bare' }))
  for (const [i, dir] of dirs.entries()) targets.push(await startBerth({ servers, company, databaseUrl, redisUrl: redisUrlOf(servers, i), name: dir.split('/').pop() as string, checkout: dir }))
  const scenarios = BOOKINGS.filter((s) => counts.includes(s.connections))
  const results = await alternateLoads(runner, scenarios, () => targets, { rounds, seconds })
  for (const [s, by] of results) {
    console.log('\n' + s.name)
    const base = by.get(targets[0].name)!
    for (const [name, all] of by) {
      const m = medianOf(all)
      console.log(name.padEnd(8), m.perSecond.toFixed(0).padStart(6) + '/s', 'p50', m.p50Ms.toFixed(1).padStart(6), 'ratio', ratioOf(all, base, (e) => e.perSecond).toFixed(2), 'cpu', m.totalCpuUs.toFixed(0).padStart(5), '=', Object.entries(m.cpuUs).map(([k, v]) => `${k} ${v.toFixed(0)}`).join(' '), 'x', ratioOf(all, base, (e) => e.totalCpuUs).toFixed(2))
    }
  }
  if (runner.failures.size) console.log([...runner.failures])
  await runner.loader.stop()
} finally {
  for (const t of targets) await t.stop()
  await servers.stop()
}
process.exit(0)
