// The pages of one area in a real browser: which, and what is checked, is in test/support/dashboard/pages-in-browser.ts.
import { testPagesInBrowser } from '../../../support/dashboard/pages-in-browser.ts'

testPagesInBrowser('plans')
