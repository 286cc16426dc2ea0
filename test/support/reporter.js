// Mocha's own report, and a closing line that any program can read.
import Mocha from 'mocha'

export default class Reporter extends Mocha.reporters.Dot {
  epilogue() {
    super.epilogue()
    const { passes = 0, failures = 0, pending = 0 } = this.stats ?? {}
    const skipped = pending > 0 ? `, ${pending} skipped` : ''
    console.log(`${passes} passed, ${failures} failed${skipped}`)
  }
}
