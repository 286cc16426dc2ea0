// Starts a service in a separate process, which tests may kill. Prints the URL of the service and waits.
import { startPostgres } from '../../../local/postgres/postgres.ts'
import { startRedis } from '../../../local/redis/redis.ts'

const [kind, directory = ''] = process.argv.slice(2)
const start = kind === 'postgres' ? startPostgres : startRedis
const { url, port, pid } = await start({ directory })
process.stdout.write(`${JSON.stringify({ url, port, pid })}\n`)
setInterval(() => undefined, 60_000)
