// Mocha's own report, each failure as it happens, and a closing line that any program can read. On Ctrl-C it
// reports what it has so far.
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    runner.on('fail', (test, error) => {
      console.log(`\n  ✗ ${test.fullTitle()}\n    ${String(error.stack ?? error).replaceAll('\n', '\n    ')}`)
    })
    const interrupt = () => {
      console.log('\n  Interrupted. So far:')
      this.epilogue()
      // With no listener left, the signal ends the process.
      process.kill(process.pid, 'SIGINT')
    }
    process.once('SIGINT', interrupt)
    runner.once('end', () => process.off('SIGINT', interrupt))
  }

  epilogue() {
    super.epilogue()
    const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {}
    const skipped = pending > 0 ? `, ${pending} skipped` : ''
    console.log(`${passes} passed, ${failures} failed${skipped}`)
  }
}
