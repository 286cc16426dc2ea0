// The script of the dashboard: small improvements to pages that work without it.
import './copy.ts'
// Before the scripts that ask it to refresh a part at once.
import './refresh.ts'
import './forms.ts'
import './choose.ts'
import './navigation.ts'
import './map.ts'
import './timeline.ts'
import './moment.ts'
import './arrange-floor-plan.ts'
import './try-it.ts'
import './meeting.ts'
import './keep-typed.ts'
