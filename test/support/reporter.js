// Mocha's own report, each failure as it happens, and a closing line that any program can read.
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Dot {
  constructor(runner, options) {
    super(runner, options)
    runner.on('fail', (test, error) => {
      console.log(`\n  ✗ ${test.fullTitle()}\n    ${String(error.stack ?? error).replaceAll('\n', '\n    ')}`)
    })
  }

  epilogue() {
    super.epilogue()
    const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {}
    const skipped = pending > 0 ? `, ${pending} skipped` : ''
    console.log(`${passes} passed, ${failures} failed${skipped}`)
  }
}
