// Prints Mocha's report, each failure as it happens, and a final line for programs. On Ctrl-C, reports the results so
// far. `--reporter-option slowest=40` lists the 40 files that take longest.
import { relative } from 'node:path'
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Dot {
  // The duration of each test file, including its hooks.
  #durations = new Map()
  #slowest

  constructor(runner, options) {
    super(runner, options)
    this.#slowest = Number(options.reporterOptions?.slowest ?? 0)
    for (const event of ['test end', 'hook end'])
      runner.on(event, ({ file = 'hooks of every file', duration = 0 }) =>
        this.#durations.set(file, (this.#durations.get(file) ?? 0) + duration),
      )
    runner.on('fail', (test, error) => {
      console.log(`\n  ✗ ${test.fullTitle()}\n    ${String(error.stack ?? error).replaceAll('\n', '\n    ')}`)
    })
    const interrupt = (signal) => {
      stopListening()
      console.log('\n  Interrupted. So far:')
      // Sets the duration, which Mocha sets only at the end.
      this.stats.duration = Date.now() - this.stats.start
      this.epilogue()
      // Sends the signal again, which now ends the process because no listener is left.
      process.kill(process.pid, signal)
    }
    // Handles both signals, because Ctrl-C causes both in Mocha.
    const signals = ['SIGINT', 'SIGTERM']
    const stopListening = () => signals.forEach((name) => void process.off(name, interrupt))
    for (const name of signals) process.on(name, interrupt)
    runner.once('end', stopListening)
  }

  epilogue() {
    super.epilogue()
    const files = [...this.#durations].sort(([, one], [, other]) => other - one).slice(0, this.#slowest)
    for (const [file, duration] of files)
      console.log(`${(duration / 1000).toFixed(1).padStart(7)} s  ${relative('', file)}`)
    const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {}
    const skipped = pending > 0 ? `, ${pending} skipped` : ''
    console.log(`${passes} passed, ${failures} failed${skipped}`)
  }
}
