// Tests the properties of every user list: export and import, the dry run, the order of the rows. RUNS sets the number
// of runs. npm run test:long runs each test several hundred times.
import { testPropertiesOfUserLists } from './user-lists.ts'

describe('any user list', function () {
  this.timeout(120_000)
  testPropertiesOfUserLists(Number(process.env.RUNS ?? 6))
})
