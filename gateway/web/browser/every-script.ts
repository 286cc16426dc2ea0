// What several scripts of pages share. Each of them imports this file, so that the build puts all of it into one file: it
// could not name several (pages/page/bundle-assets.ts).
import './forms.ts'
import './shared/dom.ts'
import './shared/drags.ts'
import './shared/translate.ts'
import '../pages/time/intervals.ts'
