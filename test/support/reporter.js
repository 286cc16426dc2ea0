// Mocha's own report, each failure as it happens, and a closing line that any program can read. On Ctrl-C it
// reports what it has so far.
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
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
    const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {}
    const skipped = pending > 0 ? `, ${pending} skipped` : ''
    console.log(`${passes} passed, ${failures} failed${skipped}`)
  }
}
