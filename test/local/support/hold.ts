// A process of its own that starts one service, says where, and then only waits: for tests that kill it.
import { startPostgres } from '../../../local/postgres/postgres.ts'
import { startRedis } from '../../../local/redis/redis.ts'

const [kind, directory = ''] = process.argv.slice(2)
const start = kind === 'postgres' ? startPostgres : startRedis
const { url, port, pid } = await start({ directory })
process.stdout.write(`${JSON.stringify({ url, port, pid })}\n`)
setInterval(() => undefined, 60_000)
