// Mocha's own report, each failure as it happens, and a closing line that any program can read. On Ctrl-C it
// reports what it has so far. `--reporter-option slowest=40` lists the 40 files that take longest.
import { relative } from 'node:path'
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Dot {
  // By file, with hooks, such as those that open the world of a suite.
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
      // Mocha sets it at the end only.
      this.stats.duration = Date.now() - this.stats.start
      this.epilogue()
      // With no listener left, the signal ends the process.
      process.kill(process.pid, signal)
    }
    // Mocha's first process turns Ctrl-C into both.
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
