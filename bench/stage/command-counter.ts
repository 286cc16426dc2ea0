// Counts the commands of one Redis database: those that clients send, and those that scripts run. Uses
// MONITOR, because Redis's statistics do not distinguish the two.
import { monitorRedis } from '../../test/support/faults/redis-monitor.ts'

type CommandCounts = { sent: number; inScripts: number }

export type CommandCounter = {
  reset(): void
  read(): CommandCounts
  stop(): void
}

export async function openCommandCounter(redisUrl: string): Promise<CommandCounter> {
  const number = new URL(redisUrl).pathname.slice(1) || '0'
  let counts = { sent: 0, inScripts: 0 }
  const { stop } = await monitorRedis(redisUrl, ({ database, source }) => {
    if (database !== number) return
    if (source === 'lua') counts.inScripts++
    else counts.sent++
  })
  return {
    reset() {
      counts = { sent: 0, inScripts: 0 }
    },
    read: () => ({ ...counts }),
    stop,
  }
}
