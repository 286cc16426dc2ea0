// @ts-check
// The dashboard's one script: small helps for pages that work without it.
import './copy.js'
import './refresh.js'
import './reload.js'
import './forms.js'
import './find.js'
import './menu.js'
import './map.js'
import './timeline.js'
import './moment.js'
import './arrange-floor-plan.js'
import './try-it.js'
import './keep-typed.js'
