// The worker process. Its arguments name the queues; without any it takes all. Drains on SIGTERM.
import { addressesOf } from '../shared/runtime/connection-check.ts'
import { startProcess } from '../shared/runtime/process.ts'
import { ACCEPTING_QUEUES, QUEUES, type QueueName } from '../shared/schemas/job.ts'
import { FILES_PRIORITY, lowerPriority } from './runtime/priority.ts'
import { work } from './work.ts'

const names = process.argv.slice(2)
const unknown = names.filter((name) => !QUEUES.includes(name as QueueName))
if (unknown.length > 0) {
  process.stderr.write(`Unknown queue “${unknown.join('”, “')}”. The queues are ${QUEUES.join(', ')}.\n`)
  process.exit(1)
}

const servesFilesOnly =
  names.length > 0 && names.every((name) => ACCEPTING_QUEUES.some((queue) => queue === name))
if (servesFilesOnly) lowerPriority(process.pid, FILES_PRIORITY)

startProcess(
  'worker',
  (config, log) => work(names.length > 0 ? (names as QueueName[]) : [...QUEUES], config, log),
  (config) => addressesOf(config, 'worker'),
)
