// The properties of every user list: export and import, the dry run, the order of the rows. RUNS says
// how often each is tried; npm run test:long tries it some hundred times.
import { provePropertiesOfUserLists } from './user-lists.ts'

describe('any user list', function () {
  this.timeout(120_000)
  provePropertiesOfUserLists(Number(process.env.RUNS ?? 6))
})
