"""`python -m tests.differential 2000` judges as many generated programs."""

from tests.differential.campaign import main

raise SystemExit(main())
