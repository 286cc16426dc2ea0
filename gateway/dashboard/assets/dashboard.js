// @ts-check
// The dashboard's one script: small helps for pages that work without it.
import './copy.js'
import './refresh.js'
import './reload.js'
import './forms.js'
import './menu.js'
