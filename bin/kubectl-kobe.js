#!/usr/bin/env node
// The name under which kubectl finds this program; the launcher looks at it.
import './kobe.js'
