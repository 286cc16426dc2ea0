// Tests all other pages of the dashboard in a real browser. test/support/dashboard/pages-in-browser.ts has the pages
// and the checks.
import { testPagesInBrowser } from '../../../support/dashboard/pages-in-browser.ts'

testPagesInBrowser('others')
