// Starts the worker process. Its arguments name its queues; without arguments, it consumes all queues. On SIGTERM, it
// finishes running jobs and exits.
import { listRequiredAddresses } from '../shared/runtime/connection-check.ts'
import { startProcess } from '../shared/runtime/process.ts'
import { ACCEPTING_QUEUES, QUEUES, type QueueName } from '../shared/schemas/job.ts'
import { warmUpWrites } from './delivery/warm-up.ts'
import { FILE_PROCESS_PRIORITY, lowerProcessPriority } from './runtime/priority.ts'
import { startWorker } from './work.ts'

const queueNames = process.argv.slice(2)
const unknownNames = queueNames.filter((name) => !QUEUES.includes(name as QueueName))
if (unknownNames.length > 0) {
  process.stderr.write(`Unknown queue “${unknownNames.join('”, “')}”. The queues are ${QUEUES.join(', ')}.\n`)
  process.exit(1)
}

const servesFilesOnly =
  queueNames.length > 0 && queueNames.every((name) => ACCEPTING_QUEUES.some((queue) => queue === name))
if (servesFilesOnly) lowerProcessPriority(process.pid, FILE_PROCESS_PRIORITY)

startProcess(
  'worker',
  (config, log) =>
    startWorker(
      queueNames.length > 0 ? (queueNames as QueueName[]) : [...QUEUES],
      config,
      log,
      Date.now,
      warmUpWrites,
    ),
  (config) => listRequiredAddresses(config, 'worker'),
)
