// Tests the pages of places in a real browser. test/support/dashboard/pages-in-browser.ts has the pages and the checks.
import { testPagesInBrowser } from '../../../support/dashboard/pages-in-browser.ts'

testPagesInBrowser('places')
